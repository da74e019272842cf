import { loadSettings } from './settings.mjs';
import { loadSource } from './source-loader.mjs';

/**
 * Runs a command of the operators' tool in a checkout, with the variables of `.env`. Then it ends this process.
 * @param {string[]} args
 * @param {string} program the command line of the user, for the help text
 * @param {() => unknown} [load] reads the configuration
 */
export async function runCli(args, program, load = loadSettings) {
  load();
  // Commands print text for people, or JSON. Log lines would mix with it.
  loadSource('/lib/server/runtime/observability/log.ts').silenceLog();
  const { runCommand } = loadSource('/cli/commands.ts');
  // Connections to services may still be open, so exit explicitly.
  process.exit(await runCommand(args, program));
}
