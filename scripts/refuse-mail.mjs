// Plays a mail server that refuses every recipient, to try what then happens: node scripts/refuse-mail.mjs 550
// Its argument is the status, such as 550 (no such mailbox) or 450 (try again later). SMTP_PORT is 1025 by default.
// cspell:ignore HELO RSET
import net from 'node:net';
import { createInterface } from 'node:readline';

const status = process.argv[2] ?? '550';
if (!/^[45]\d\d$/.test(status)) {
  console.error('Give a status from 400 to 599, such as 550.');
  process.exit(2);
}
const port = Number(process.env.SMTP_PORT || 1025);
/** @type {Record<string, string>} */
const RESPONSES = {
  EHLO: '250 localhost',
  HELO: '250 localhost',
  MAIL: '250 OK',
  RCPT: `${status} ${status.charAt(0)}.1.1 Refused by refuse-mail.mjs`,
  RSET: '250 OK',
  NOOP: '250 OK',
  QUIT: '221 Bye',
};

const server = net.createServer((socket) => {
  socket.on('error', () => socket.destroy()).write('220 localhost\r\n');
  createInterface({ input: socket }).on('line', (line) => {
    const command = line.slice(0, 4).toUpperCase();
    socket.write(`${RESPONSES[command] ?? '503 No recipient'}\r\n`);
    if (command === 'QUIT') socket.end();
  });
});
server.listen(port, () => console.log(`Every email gets ${status} at port ${String(port)}.`));
