// The operators' tool, with the variables of `.env`: `npm run cli -- doctor`
import { runCli } from './lib/cli.mjs';

const [name = '', ...args] = process.argv.slice(2);
await runCli([name, ...args], `npm run cli -- ${name}`);
