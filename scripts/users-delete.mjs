// Deletes an account with its records: `npm run users:delete -- learner@campus.test --yes`
import { runCli } from './lib/cli.mjs';

await runCli(['delete', ...process.argv.slice(2)], 'npm run users:delete --');
