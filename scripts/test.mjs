import { begin } from './lib/begin.mjs';

begin(async () => {
  const { runTests } = await import('./lib/test-run.mjs');
  process.exit((await runTests(process.argv.slice(2))) ? 0 : 1);
});
