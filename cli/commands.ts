import { accountCommand } from './account';
import { accountHashCommand } from './account-hash';
import { deleteCommand } from './delete';
import { escapeControls, escapeLines } from '@/lib/server/runtime';
import { describeError } from './describe-error';
import { doctorCommand } from './doctor';
import { eventsCommand } from './events';
import { explainCommand } from './explain';
import { importCommand } from './import';
import { migrateCommand } from './migrate';
import { reconcileCommand } from './reconcile';
import { secondFactorOffCommand } from './second-factor-off';
import { UsageError, type Command } from './types';
import { versionCommand } from './version';

/** In the order in which `node cli` lists them. */
const COMMANDS: Record<string, Command> = {
  doctor: doctorCommand,
  migrate: migrateCommand,
  explain: explainCommand,
  import: importCommand,
  account: accountCommand,
  delete: deleteCommand,
  events: eventsCommand,
  reconcile: reconcileCommand,
  'second-factor-off': secondFactorOffCommand,
  'account-hash': accountHashCommand,
  version: versionCommand,
};

const USAGE = `node cli <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(18)} ${summary}`)
  .join('\n')}

node cli <command> --help describes a command. The tool reads the same configuration as the server.`;

/** Exit codes of every command. The help of each command explains them. */
const FAILED = 1;
const WRONG_USAGE = 2;

/**
 * Runs a command of the operator's tool.
 * @param args the command line after the name of the program
 * @param program how the user has called it, for the help; by default `node cli` and the command
 * @returns the exit code
 */
export async function runCommand([name = '', ...args]: readonly string[], program?: string): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const isQuestion = name === '' || name === '--help' || name === '-h' || name === 'help';
    if (!isQuestion) console.error(`There is no command ${escapeControls(name)}.\n`);
    console.log(USAGE);
    return isQuestion ? 0 : WRONG_USAGE;
  }
  const help = command.help(program ?? `node cli ${name}`);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(help);
    return 0;
  }
  try {
    return await command.run(args);
  } catch (error) {
    const isUsage = isUsageError(error);
    console.error(isUsage ? `${escapeLines(error.message)}\n\n${help}` : escapeLines(describeError(error)));
    return isUsage ? WRONG_USAGE : FAILED;
  }
}

/** `parseArgs` has its own error codes. */
function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
