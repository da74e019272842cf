import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { ApiProblem, isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import type { CallerLimit } from '@/lib/server/http';
import { env, getSealingKeys, type LinkPurpose } from '@/lib/server/runtime';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { DISAVOWAL_MS, EMAIL_UNDO_MS } from '@/lib/server/policy';
import { findRecoveryOwner, spendOnce, type LimitName, withRecords } from '@/lib/server/storage';
import { sealShort, unseal } from './token';

/** Lifetime of a confirmation link, in seconds. */
const LINK_TTL_SECONDS = LIFETIME.day;

const text = z.string().default('');

/** Defines a kind of link. @param getEnd returns when a link expires, in milliseconds since 1970 */
function defineLink<T extends Record<string, string>>(
  purpose: LinkPurpose | 'confirmation-link',
  subject: z.ZodType<T>,
  getEnd: (given: T) => number,
) {
  const getKeys = () => getSealingKeys(env().TOKEN_ENCRYPTION_SECRET, purpose);
  const seal = (given: T): Promise<string> => {
    const payload = subject.parse(given);
    const exp = Math.floor(getEnd(payload) / 1000);
    return sealShort({ jti: randomUUID(), mark: '', payload, exp }, getKeys());
  };
  /**
   * Reads the payload of a link without redeeming it. @throws ApiProblem `action-code-expired`, `action-code-invalid`
   */
  const read = async (code: string): Promise<T & { jti: string; exp: number }> => {
    try {
      const { jti, exp, payload } = await unseal(code, getKeys());
      return { ...subject.parse(payload), jti, exp };
    } catch (error) {
      const isExpired = isApiProblem(error) && error.code === 'code-expired';
      throw new ApiProblem(isExpired ? 'action-code-expired' : 'action-code-invalid', { cause: error });
    }
  };
  return { seal, read };
}

/**
 * The sealed token of a confirmation link: the email, account and registration that it confirms. `creates`: `1` if it
 * completes a registration, which creates the account. Empty otherwise, and in links from before 2026-12. The identity
 * provider's own codes are not bound to an account, so they would confirm any account.
 */
export const { seal: sealConfirmationLink, read: readConfirmationLink } = defineLink(
  'confirmation-link',
  z.object({ uid: text, email: text, registration: text, creates: text }),
  () => Date.now() + LINK_TTL_SECONDS * 1000,
);

/** Whether we issued a link's code. A compact JWE has five parts (RFC 7516, section 3.1). */
export function isSealedLink(code: string): boolean {
  return code.split('.').length === 5;
}

/**
 * Counts a call by its link. A call without a genuine link counts by client address, so no neighbor can use up the
 * limit of a mailbox's owner.
 * @param name the limit by client address
 * @param read opens our links
 */
export function byLink(
  name: LimitName,
  read: (code: string) => Promise<{ jti: string }>,
): CallerLimit<{ code: string }> {
  return {
    name,
    identify: async ({ body: { code } }) => {
      const link = await nullOnProblem(read(code));
      return link && { limit: 'calls-of-link', key: link.jti };
    },
  };
}

/**
 * Redeems a link once across processes, for the given work. If the work fails, the link can be used again.
 * @param id of the link, which is valid for at most a day
 * @throws ApiProblem `action-code-invalid` if it was used before, `records-unavailable`, and any error of the work
 */
export async function redeemOnce<T>(id: string, work: () => Promise<T>): Promise<T> {
  const spent = await spendOnce(`link-used:${id}`, LINK_TTL_SECONDS);
  if (spent === null) throw new ApiProblem('action-code-invalid');
  try {
    return await work();
  } catch (error) {
    await spent.giveBack();
    throw error;
  }
}

// Tokens of links in emails are created when the email is sent, and never stored. So read access to the database does
// not give a usable link (docs/adr/0028).

const HOUR_MS = 3_600_000;
/** For this long after a scheduled change, its cancellation link is still recognized as genuine. */
const KNOWN_AFTER_CHANGE_MS = 7 * 24 * HOUR_MS;
/** The identity provider's code inside the link expires earlier. */
const SIGN_IN_LINK_MS = 24 * HOUR_MS;

const getEndOfChange = ({ effectiveAt }: { effectiveAt: string }) => Date.parse(effectiveAt) + KNOWN_AFTER_CHANGE_MS;

/** A request to delete an account, and the time of the deletion. */
export const { seal: sealDeletionLink, read: readDeletionLink } = defineLink(
  'deletion-link',
  z.object({ uid: text, deletion: text, effectiveAt: text }),
  getEndOfChange,
);

/** `copyTo`: the recovery email that got this link in a copy. Empty for the account's own mailbox. */
type Copied = { uid: string; copyTo: string };

/**
 * Defines a kind of link that is also in copies for the recovery email (docs/adr/0051). A link of a copy works while the
 * account has this recovery email, because its mailbox can be another person's after that.
 */
function defineCopiedLink<T extends Copied & Record<string, string>>(
  purpose: LinkPurpose,
  subject: z.ZodType<T>,
  getEnd: (given: T) => number,
) {
  const { seal, read: readAny } = defineLink(purpose, subject, getEnd);
  const read = async (code: string) => {
    const link = await readAny(code);
    const { uid, copyTo } = link;
    if (copyTo !== '' && (await withRecords((records) => findRecoveryOwner(records, copyTo))) !== uid)
      throw new ApiProblem('action-code-invalid');
    return link;
  };
  return { seal, read };
}

/** A change of the account's email, which its new mailbox carries out. @see lib/server/accounts/email-change.ts */
export const { seal: sealEmailChangeLink, read: readEmailChangeLink } = defineLink(
  'email-change-link',
  z.object({ uid: text, change: text }),
  () => Date.now() + LIFETIME.veryShort * 1000,
);

/** The same change for the former mailbox, which cancels or undoes it. `at`: when it was requested, RFC 3339. */
export const { seal: sealEmailUndoLink, read: readEmailUndoLink } = defineCopiedLink(
  'email-undo-link',
  z.object({ uid: text, change: text, at: text, copyTo: text }),
  ({ at }) => Date.parse(at) + EMAIL_UNDO_MS,
);

/** A request to turn off a lost second factor, and the time of the change. */
export const { seal: sealResetLink, read: readResetLink } = defineCopiedLink(
  'factor-reset-link',
  z.object({ uid: text, reset: text, effectiveAt: text, copyTo: text }),
  getEndOfChange,
);

/**
 * A sign-in that was announced to the owner. `at`: RFC 3339. `to`: the email that received the announcement. `by`: the
 * session that disavowed the sign-in. `again`: `1` in the newer link that an earlier link requested. `by` and `again`
 * are empty otherwise.
 */
const signInSchema = z.object({ uid: text, session: text, at: text, to: text, by: text, again: text, copyTo: text });
export type SignInRef = z.output<typeof signInSchema>;

/** How long an answer on /security, or a newer link, is valid. */
export const RENEWED_DISAVOWAL_MS = LIFETIME.veryShort * 1000;

const disavowalLink = defineCopiedLink('disavowal-link', signInSchema, ({ at, by, again }) =>
  by === '' && again === '' ? Date.parse(at) + DISAVOWAL_MS : Date.now() + RENEWED_DISAVOWAL_MS,
);
type NewSignInRef = Omit<SignInRef, 'by' | 'again' | 'copyTo'> & Partial<SignInRef>;
export const sealDisavowalLink = (link: NewSignInRef) => disavowalLink.seal({ by: '', again: '', copyTo: '', ...link });
export const readDisavowalLink = disavowalLink.read;

/**
 * A sign-in link: the account, the email, the identity provider's code, and the requesting browser
 * (`digestFlowBrowser`). That browser does not have to enter the email again. `request`: shared with the code of the same
 * email, so that only one of them can be used. Empty without a code, and in links from before 2026-12.
 */
const signInLink = defineLink(
  'sign-in-link',
  z.object({ uid: text, email: text, code: text, browser: text, request: text }),
  () => Date.now() + SIGN_IN_LINK_MS,
);
export const sealSignInLink = signInLink.seal;
/** `issuedAt`: when it was sealed, in seconds since 1970. */
export const readSignInLink = async (code: string) => {
  const link = await signInLink.read(code);
  return { ...link, issuedAt: link.exp - SIGN_IN_LINK_MS / 1000 };
};

/** Returns the state of an unusable link from the error of reading it. @throws any other error */
export function toLinkState(error: unknown): 'unavailable' | 'expired' | 'invalid' {
  if (!isApiProblem(error)) throw error;
  if (error.code === 'records-unavailable') return 'unavailable';
  return error.code === 'action-code-expired' ? 'expired' : 'invalid';
}
