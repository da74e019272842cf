import { loadSettings } from './settings.mjs';
import { loadSource } from './source-loader.mjs';

/**
 * Runs a command of the operators' tool in a checkout, with the variables of `.env`, and ends this process.
 * @param {string[]} args
 * @param {string} program how the user has called it, for the help
 * @param {() => unknown} [load] reads the configuration
 */
export async function runCli(args, program, load = loadSettings) {
  load();
  // Commands print for people, or JSON: log lines would be in between.
  loadSource('/lib/server/runtime/observability/log.ts').silenceLog();
  const { runCommand } = loadSource('/cli/commands.ts');
  // Connections to services may be open: exit regardless.
  process.exit(await runCommand(args, program));
}
