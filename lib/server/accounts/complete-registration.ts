import type { EmailContext } from '@/lib/server/notifications';
import {
  findByEmail,
  findById,
  getIdentityAdmin,
  nullOnCode,
  recordProvedEmail,
  retryWhileUnavailable,
  toOwnTime,
} from '@/lib/server/identity';
import { decideRegistration } from '@/lib/server/policy';
import { setRequestAccount } from '@/lib/server/runtime';
import { proveMailbox } from '@/lib/server/session';
import { recordEvent, spendOnce, withAccountLock } from '@/lib/server/storage';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { ApiProblem } from '@/lib/shared/problem';
import { checkProviderPolicy } from './password-policy';
import type { PendingConfirmation } from './requested-email';
import type { ProvedMailbox } from './sign-in-by-mail';

/** What the account gets. `name`: absent if another browser proves the mailbox, because a stranger may have chosen it. */
export type ChosenDetails = { name?: string; password?: string | undefined };

/** The result of a registration. `registers`: the account has begun or was proved for the first time. */
type Completed = ProvedMailbox & { registers: boolean };

type Registered = Pick<PendingConfirmation, 'uid' | 'email'>;

/** Attempts to create the account, because another registration of the email may be completed at the same moment. */
const TRIES = 3;

/**
 * Completes a registration whose mailbox was just proved. It creates the verified account in a single call, or proves
 * the unverified account that someone else created for the email.
 * @param details null if this browser does not have them any more
 * @throws ApiProblem `email-taken` if the email has got an account meanwhile; `code-expired` without the details, or if
 *   the registration has created an account that was deleted since; `action-code-invalid` for these by a link;
 *   `password-weak`, 503
 */
export async function completeRegistration(
  { uid, email }: Registered,
  details: ChosenDetails | null,
  by: Way,
  context: EmailContext,
): Promise<Completed> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const account = await findByEmail(email);
    const decision = decideRegistration(account?.facts ?? null, uid);
    if (decision === 'taken') break;
    if (account !== null && decision === 'sign-in')
      return { account: account.facts, provedAt: new Date(), registers: false };
    if (details === null) throw new ApiProblem(REFUSED[by]);
    if (details.password !== undefined) await checkProviderPolicy(details.password);
    if (account !== null) {
      const { password, name } = details;
      // This browser brings no method of the account, because it has not created it.
      const proof = { by, browser: 'requesting', presentedMethod: null } as const;
      const provedAt = await proveMailbox(account, proof, context, { password, name });
      return { account: account.facts, provedAt, registers: true };
    }
    const created = await retryWhileUnavailable(() => create({ uid, email }, details, by, context));
    if (created !== null) return created;
  }
  throw new ApiProblem(by === 'code' ? 'email-taken' : REFUSED[by]);
}

/** The same problems as for a code or link that has expired. */
const REFUSED = { code: 'code-expired', 'confirmation-link': 'action-code-invalid' } as const;
type Way = keyof typeof REFUSED;

/** A link of the registration works for this long, in seconds. */
const REGISTRATION_SECONDS = LIFETIME.day;

const TAKEN = ['auth/email-already-exists', 'auth/uid-already-exists'];

/**
 * Creates the account of a registration, once. If it was deleted within the lifetime of its link, the link must not
 * create it again under its id. If an earlier try has created it without a response, it counts as created now.
 * @returns null if another account has the email by now, or if this registration was completed at the same moment
 */
function create(
  { uid, email }: Registered,
  { name, password }: ChosenDetails,
  by: Way,
  { client }: EmailContext,
): Promise<Completed | null> {
  setRequestAccount(uid);
  return withAccountLock(uid, async (locked) => {
    const spent = await spendOnce(`registered:${uid}`, REGISTRATION_SECONDS);
    if (spent === null) {
      if ((await findById(uid, locked)) === null) throw new ApiProblem(REFUSED[by]);
      return null;
    }
    const values = {
      uid,
      email,
      emailVerified: true,
      ...(name && { displayName: name }),
      ...(password && { password }),
    };
    try {
      const requestedAt = new Date();
      await nullOnCode(getIdentityAdmin().createUser(values), 'createUser', ...TAKEN);
      const account = await findById(uid, locked);
      if (account?.facts.email !== email) {
        await spent.giveBack();
        return null;
      }
      await recordProvedEmail(account, locked);
      const { facts } = account;
      const methods = facts.methods.map(({ id }) => id);
      recordEvent({ uid, at: requestedAt, kind: 'registered', client, read: { methods, requestedAt } });
      recordEvent({ uid, kind: 'email-verified', client });
      // The provider's clock may be ahead. A sign-in from before the account would be refused.
      const provedAt = new Date(Math.max(Date.now(), toOwnTime(facts.validSince * 1000)));
      return { account: facts, provedAt, registers: true };
    } catch (error) {
      await spent.giveBack();
      throw error;
    }
  });
}
