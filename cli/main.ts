import { silenceLog } from '@/lib/server/runtime';
import { runCommand } from './commands';

// The program `node cli` of the image. Commands print text or JSON, which log lines would interrupt.
silenceLog();
// Exit even if connections to services are open.
void runCommand(process.argv.slice(2)).then((code) => process.exit(code));
