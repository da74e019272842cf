import { setTimeout as sleep } from 'node:timers/promises';
import type { Places } from './stack';

export type Mail = { subject: string; text: string; html: string; to: { address: string }[] };

const PATIENCE_MS = 15_000;

/** The mails to one address, oldest first, once there are as many as expected. */
export async function mailsTo({ mailboxUrl }: Places, address: string, count = 1): Promise<Mail[]> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const response = await fetch(`${mailboxUrl}/email`);
    const all = (await response.json()) as Mail[];
    const found = all.filter(({ to }) => to.some((recipient) => recipient.address === address));
    if (found.length >= count) return found;
    if (Date.now() > deadline) throw new Error(`${found.length} of ${count} mails to ${address} arrived`);
    await sleep(100);
  }
}

/** The 6-character code of a mail. @throws Error when there is none */
export function codeIn({ text }: Mail): string {
  const code = /\b[0-9A-Z]{6}\b/.exec(text)?.[0];
  if (!code) throw new Error(`No code in: ${text}`);
  return code;
}
