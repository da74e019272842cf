import { writeConsoleToLog } from './observability/json-console';

// First: the framework's server starts, and prints, as soon as it is loaded (scripts/lib/app.mjs).
writeConsoleToLog();
// eslint-disable-next-line @typescript-eslint/no-require-imports -- made by the build, beside the bundle of this file
require('./framework-server.js');
