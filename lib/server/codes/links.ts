import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { ApiProblem, isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import type { CallerLimit } from '@/lib/server/http';
import { env, getSealingKeys, type LinkPurpose } from '@/lib/server/runtime';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { getStore, type LimitName } from '@/lib/server/storage';
import { sealShort, unseal } from './token';

/** Lifetime of a confirmation link, in seconds. */
const LINK_TTL_SECONDS = LIFETIME.day;

const text = z.string().default('');

/** A kind of link. @param getEnd when a link expires, in milliseconds since 1970 */
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
  /** Reads the subject of a link without redeeming it. @throws ApiProblem `action-code-expired`, `action-code-invalid` */
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
 * The sealed token of a confirmation link: the email, account and registration it confirms. The identity provider's own codes are not bound
 * to an account: they would confirm any.
 */
export const { seal: sealConfirmationLink, read: readConfirmationLink } = defineLink(
  'confirmation-link',
  z.object({ uid: text, email: text, registration: text }),
  () => Date.now() + LINK_TTL_SECONDS * 1000,
);

/** Whether a link's code is one of ours: a compact JWE has five parts (RFC 7516, section 3.1). */
export function isSealedLink(code: string): boolean {
  return code.split('.').length === 5;
}

/**
 * Counts a call by the link that it presents. A call without a genuine link of ours counts by client address, so that no neighbor
 * uses up what the owner of a mailbox may undo.
 * @param name the limit by client address
 * @param read opens a link of ours
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
 * Redeems a link, once across processes, for work that is done with it. When the work fails, the link is not used up.
 * @param id of the link, valid for a day at most
 * @throws ApiProblem `action-code-invalid` when it was used before, and any error of the work
 */
export async function redeemOnce<T>(id: string, work: () => Promise<T>): Promise<T> {
  const key = `link-used:${id}`;
  if (!(await getStore().setIfAbsent(key, '1', LINK_TTL_SECONDS))) throw new ApiProblem('action-code-invalid');
  try {
    return await work();
  } catch (error) {
    await getStore().delete(key);
    throw error;
  }
}

// Links in emails: each token is made when its email is sent, and stored nowhere, so that who reads the database (docs/adr/0028)
// cannot use one.

const HOUR_MS = 3_600_000;
/** A link that cancels a scheduled change is told apart from an invalid one for this long after the change. */
const KNOWN_AFTER_CHANGE_MS = 7 * 24 * HOUR_MS;
/** The identity provider's code inside expires earlier. */
const SIGN_IN_LINK_MS = 24 * HOUR_MS;
/** How long a sign-in can be disavowed. */
export const DISAVOWAL_MS = 10 * 24 * HOUR_MS;

const getEndOfChange = ({ effectiveAt }: { effectiveAt: string }) => Date.parse(effectiveAt) + KNOWN_AFTER_CHANGE_MS;

/** A request to delete an account, and when that comes. */
export const { seal: sealDeletionLink, read: readDeletionLink } = defineLink(
  'deletion-link',
  z.object({ uid: text, deletion: text, effectiveAt: text }),
  getEndOfChange,
);

/** A request to turn a lost second factor off, and when that comes. */
export const { seal: sealResetLink, read: readResetLink } = defineLink(
  'factor-reset-link',
  z.object({ uid: text, reset: text, effectiveAt: text }),
  getEndOfChange,
);

/**
 * A sign-in that was announced to the owner; `at`: RFC 3339; `to`: the email that the announcement was sent to. `by`: the session that has
 * said that it was not the owner's; `again`: `1` in the link that is emailed because an earlier one was pressed. Both are empty otherwise.
 */
const signInSchema = z.object({ uid: text, session: text, at: text, to: text, by: text, again: text });
export type SignInRef = z.output<typeof signInSchema>;

/** How long an answer on /security can be carried out, and a link that is emailed again works. */
export const RENEWED_DISAVOWAL_MS = LIFETIME.veryShort * 1000;

const disavowalLink = defineLink('disavowal-link', signInSchema, ({ at, by, again }) =>
  by === '' && again === '' ? Date.parse(at) + DISAVOWAL_MS : Date.now() + RENEWED_DISAVOWAL_MS,
);
type NewSignInRef = Omit<SignInRef, 'by' | 'again'> & Partial<SignInRef>;
export const sealDisavowalLink = (link: NewSignInRef) => disavowalLink.seal({ by: '', again: '', ...link });
export const readDisavowalLink = disavowalLink.read;

/**
 * A sign-in link: the account and the email that it was sent to, the identity provider's code, and the browser that asked for it
 * (`digestFlowBrowser`), which need not be told the email again.
 */
const signInLink = defineLink(
  'sign-in-link',
  z.object({ uid: text, email: text, code: text, browser: text }),
  () => Date.now() + SIGN_IN_LINK_MS,
);
export const sealSignInLink = signInLink.seal;
/** `issuedAt`: when it was sealed, in seconds since 1970. */
export const readSignInLink = async (code: string) => {
  const link = await signInLink.read(code);
  return { ...link, issuedAt: link.exp - SIGN_IN_LINK_MS / 1000 };
};

/** The state of a link that cannot be used, by what reading it or its record has thrown. @throws any other error */
export function toLinkState(error: unknown): 'unavailable' | 'expired' | 'invalid' {
  if (!isApiProblem(error)) throw error;
  if (error.code === 'records-unavailable') return 'unavailable';
  return error.code === 'action-code-expired' ? 'expired' : 'invalid';
}
