export { startServer } from './start';
