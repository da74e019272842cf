import { silenceLog } from '@/lib/server/runtime';
import { runCommand } from './commands';

// The program `node cli` of the image. Commands print for people, or JSON: log lines would be in between.
silenceLog();
// Connections to services may be open: exit regardless.
void runCommand(process.argv.slice(2)).then((code) => process.exit(code));
