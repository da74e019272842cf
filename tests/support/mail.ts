import { setTimeout as sleep } from 'node:timers/promises';
import { persistentFetch } from './persistent-fetch';

export type Mail = {
  subject: string;
  text: string;
  html: string;
  to: { address: string }[];
  from: { address: string; name: string }[];
  headers: Record<string, string>;
};

/** Deadline for a test that hangs. It is long, because a busy machine must not fail a test. */
const DEADLINE_MS = 120_000;

/** Returns the emails to an address, oldest first, once the expected number has arrived. */
export async function mailsTo({ mailboxUrl }: { mailboxUrl: string }, address: string, count = 1): Promise<Mail[]> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await readMailbox({ mailboxUrl }, address);
    if (found.length >= count) return found;
    if (Date.now() > deadline) throw new Error(`${found.length} of ${count} mails to ${address} arrived`);
    await sleep(100);
  }
}

/**
 * Returns the emails to an address without those about new sign-ins, which arrive at any time on a slow machine.
 * @param count number of the other emails
 */
export async function mailsBesidesAlerts(mailbox: { mailboxUrl: string }, address: string, count = 1): Promise<Mail[]> {
  for (let atLeast = count; ;) {
    const mails = await mailsTo(mailbox, address, atLeast);
    const others = mails.filter(({ subject }) => !subject.startsWith('New sign-in'));
    if (others.length >= count) return others;
    atLeast = mails.length + 1;
  }
}

/** Returns the emails to an address that have arrived so far, oldest first. */
export async function readMailbox({ mailboxUrl }: { mailboxUrl: string }, address: string): Promise<Mail[]> {
  // Requests the emails of one address only, because all tests share the mailbox and all of its emails are megabytes.
  const response = await persistentFetch(`${mailboxUrl}/email?to.address=${encodeURIComponent(address)}`);
  return (await response.json()) as Mail[];
}

/** Finds the 6-character code of an email. @throws Error if there is none */
export function codeIn({ text }: Pick<Mail, 'text'>): string {
  const code = /^[0-9A-Z]{6}$/m.exec(text)?.[0];
  if (!code) throw new Error(`No code in: ${text}`);
  return code;
}

/** Lists the links of an email in order. */
export function linksIn({ text }: Pick<Mail, 'text'>): string[] {
  return [...text.matchAll(/^https?:\S+$/gm)].map(([link]) => link);
}

/** Returns a different code, which is never the correct code. */
export function wrongCode(code: string): string {
  return (code.startsWith('0') ? '1' : '0') + code.slice(1);
}
