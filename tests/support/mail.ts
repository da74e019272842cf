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

/** Ends a test that hangs: a busy machine must not fail one. */
const DEADLINE_MS = 120_000;

/** The emails to one address, oldest first, once the expected number has arrived. */
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
 * The same without those about new sign-ins: on a slow machine they arrive at any time.
 * @param count of the others
 */
export async function mailsBesidesAlerts(mailbox: { mailboxUrl: string }, address: string, count = 1): Promise<Mail[]> {
  for (let atLeast = count; ;) {
    const mails = await mailsTo(mailbox, address, atLeast);
    const others = mails.filter(({ subject }) => !subject.startsWith('New sign-in'));
    if (others.length >= count) return others;
    atLeast = mails.length + 1;
  }
}

/** The emails to one address that have arrived by now, oldest first. */
export async function readMailbox({ mailboxUrl }: { mailboxUrl: string }, address: string): Promise<Mail[]> {
  // Asked for by address: the mailbox is shared by all tests, and whole it is megabytes.
  const response = await persistentFetch(`${mailboxUrl}/email?to.address=${encodeURIComponent(address)}`);
  return (await response.json()) as Mail[];
}

/** The 6-character code of an email. @throws Error when there is none */
export function codeIn({ text }: Pick<Mail, 'text'>): string {
  const code = /^[0-9A-Z]{6}$/m.exec(text)?.[0];
  if (!code) throw new Error(`No code in: ${text}`);
  return code;
}

/** The links of an email, in order. */
export function linksIn({ text }: Pick<Mail, 'text'>): string[] {
  return [...text.matchAll(/^https?:\S+$/gm)].map(([link]) => link);
}

/** A different code, which is never the correct one. */
export function wrongCode(code: string): string {
  return (code.startsWith('0') ? '1' : '0') + code.slice(1);
}
