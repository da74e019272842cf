import { consumeLimit, recordHit, LIMITS, type LimitName } from '@/lib/server/storage';
import { digest } from '@/lib/server/runtime';
import type { FlowPurpose } from '@/lib/server/codes';

/** Seconds until "Resend code" may be used (docs/product.md#screens). */
export const RESEND_AFTER_SECONDS = LIMITS.resend.seconds;

/** What an email is for. Each purpose has its own budgets, so that exhausting one leaves the others. */
export type EmailPurpose = FlowPurpose | 'sign-in-link' | 'sign-in-help' | 'factor-reset';

export type EmailRequester = {
  purpose: EmailPurpose;
  email: string;
  /** The client's network, as returned by `getClientAddress`: a /48 for IPv6. */
  network: string;
  /** Flow of the open token that the browser holds for this purpose and email; null without one. */
  openFlow: string | null;
  /** Id of the browser when the email has signed in with it; null otherwise. */
  browser: string | null;
};

type Budget = { limit: LimitName; key: string };

/**
 * The budgets that an email counts against (docs/adr/0006). Unknown clients are limited by network and overall. A
 * browser with an open token, or in which the email has signed in, has its own budget: it neither consumes theirs nor
 * is blocked by them.
 */
export function getEmailBudgets({ purpose, email, network, openFlow, browser }: EmailRequester): Budget[] {
  if (openFlow !== null) return [{ limit: 'email-of-flow', key: openFlow }];
  const mailbox = `${purpose}:${digest(getMailbox(email))}`;
  const [one, all] = browser === null ? [`network:${network}`, 'networks'] : [`browser:${browser}`, 'browsers'];
  // The order matters: requests refused for one client must not count against the overall budget.
  return [
    { limit: 'email-to-address', key: `${mailbox}:${one}` },
    { limit: 'email-to-address-overall', key: `${mailbox}:${all}` },
  ];
}

/** Both domains are the same, and dots in the local part are ignored. */
const GMAIL = /^([^@]+)@(?:gmail|googlemail)\.com$/;

/**
 * The mailbox that an email is delivered to, for counting only: `mia+1@` and `mia+2@` are one mailbox (RFC 5233), and
 * so are all placements of dots at Gmail. Quotes and backslashes of a quoted local part are ignored (RFC 5322, section
 * 3.2.4); accounts created outside this app may have them. Accounts are looked up by the email as written.
 */
export function getMailbox(email: string): string {
  const unquoted = email.toLowerCase().replaceAll(/["\\]/g, '');
  const untagged = unquoted.replace(/^([^+@]+)\+[^@]*@/, '$1@');
  return untagged.replace(GMAIL, (_, local: string) => `${local.replaceAll('.', '')}@gmail.com`);
}

/**
 * Counts an email, whether or not it has an account, and starts the flow's delay until the next one.
 * @param flow the flow that the email belongs to
 * @param again the user selected "Resend code": refused until the delay is over
 * @throws ApiProblem `too-many-requests`
 */
export async function consumeEmailBudgets(
  requester: EmailRequester,
  flow: string,
  { again }: { again: boolean },
): Promise<void> {
  await (again ? consumeLimit('resend', flow) : recordHit('resend', flow));
  for (const { limit, key } of getEmailBudgets(requester)) await consumeLimit(limit, key);
}
