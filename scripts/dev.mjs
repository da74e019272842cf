import { begin } from './lib/begin.mjs';

begin(() => import('./lib/local-run.mjs').then((run) => run.runDev(process.argv.slice(2))));
