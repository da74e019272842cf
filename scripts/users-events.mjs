// Exports the security events of one account as JSON: `npm run users:events -- learner@campus.test`
import { runCli } from './lib/cli.mjs';
import { loadSettingsOrDefault } from './lib/settings.mjs';

await runCli(['events', ...process.argv.slice(2)], 'npm run users:events --', loadSettingsOrDefault);
