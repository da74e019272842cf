// The mail server of docs/deploy/trial.md that refuses emails.
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test } from 'vitest';
import { freePorts } from '../../scripts/lib/ports.mjs';

test.each([
  ['550', { responseCode: 550, command: 'RCPT TO' }],
  ['450', { responseCode: 450, command: 'RCPT TO' }],
])('refuses every email with %s', async (status, refusal) => {
  const [port = 0] = await freePorts(1);
  const env = { ...process.env, SMTP_PORT: String(port) };
  const server = spawn(process.execPath, ['scripts/refuse-mail.mjs', status], { env });
  onTestFinished(() => void server.kill());
  await once(server.stdout, 'data');
  const mail = { from: 'app@campus.test', to: 'grace@campus.test', subject: 'A code', text: '123456' };
  await expect(createTransport({ port }).sendMail(mail)).rejects.toMatchObject(refusal);
  // The next email meets the same server.
  await expect(createTransport({ port }).sendMail(mail)).rejects.toMatchObject(refusal);
});

test('names what it needs', async () => {
  const refused = spawn(process.execPath, ['scripts/refuse-mail.mjs', '250']);
  const [output, exit] = await Promise.all([once(refused.stderr, 'data'), once(refused, 'exit')]);
  expect(output.join()).toBe('Give a status from 400 to 599, such as 550.\n');
  expect(exit).toEqual([2, null]);
});
