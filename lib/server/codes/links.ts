import { randomUUID } from 'node:crypto';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { env, getSealingKeys, type LinkPurpose } from '@/lib/server/runtime';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { getStore } from '@/lib/server/storage';
import { sealShort, unseal, type CodeClaims } from './token';

/** Lifetime of a confirmation link, in seconds. */
const LINK_TTL_SECONDS = LIFETIME.day;

/** The subject of a confirmation link: the email, account and registration it confirms. */
type LinkSubject = { uid: string; email: string; registration: string };

/**
 * The sealed token of a confirmation link. The identity provider's own codes are not bound to an account: they would
 * confirm any.
 */
export function sealConfirmationLink({ uid, email, registration }: LinkSubject, now = Date.now()): Promise<string> {
  const exp = Math.floor(now / 1000) + LINK_TTL_SECONDS;
  return sealShort(
    { jti: randomUUID(), mark: '', payload: { uid, email, registration }, exp },
    getKeys('confirmation-link'),
  );
}

/** Whether a link's code is one of ours: a compact JWE has five parts (RFC 7516, section 3.1). */
export function isSealedLink(code: string): boolean {
  return code.split('.').length === 5;
}

/**
 * Reads the subject of a link without redeeming it.
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`
 */
export async function readConfirmationLink(code: string, now = Date.now()): Promise<LinkSubject & { jti: string }> {
  const { jti, payload } = await openLink(code, now);
  const { uid = '', email = '', registration = '' } = payload;
  return { jti, uid, email, registration };
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

async function openLink(code: string, now: number): Promise<CodeClaims> {
  try {
    return await unseal(code, getKeys('confirmation-link'), now);
  } catch (error) {
    const isExpired = isApiProblem(error) && error.code === 'code-expired';
    throw new ApiProblem(isExpired ? 'action-code-expired' : 'action-code-invalid', { cause: error });
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

/** A request to delete an account, and when that comes. */
type DeletionRef = { uid: string; deletion: string; effectiveAt: string };

/** A request to turn a lost second factor off, and when that comes. */
type ResetRef = { uid: string; reset: string; effectiveAt: string };

/** A sign-in that was announced to the owner; `at`: RFC 3339; `to`: the email that the announcement was sent to. */
export type SignInRef = { uid: string; session: string; at: string; to: string };

export function sealDeletionLink({ uid, deletion, effectiveAt }: DeletionRef): Promise<string> {
  const until = Date.parse(effectiveAt) + KNOWN_AFTER_CHANGE_MS;
  return sealLink('deletion-link', { uid, deletion, effectiveAt }, until);
}

/** @throws ApiProblem `action-code-expired` some days after the deletion, `action-code-invalid` */
export async function readDeletionLink(code: string, now = Date.now()): Promise<DeletionRef> {
  const { uid = '', deletion = '', effectiveAt = '' } = await readLink('deletion-link', code, now);
  return { uid, deletion, effectiveAt };
}

export function sealResetLink({ uid, reset, effectiveAt }: ResetRef): Promise<string> {
  const until = Date.parse(effectiveAt) + KNOWN_AFTER_CHANGE_MS;
  return sealLink('factor-reset-link', { uid, reset, effectiveAt }, until);
}

/** @throws ApiProblem `action-code-expired` some days after the reset, `action-code-invalid` */
export async function readResetLink(code: string, now = Date.now()): Promise<ResetRef> {
  const { uid = '', reset = '', effectiveAt = '' } = await readLink('factor-reset-link', code, now);
  return { uid, reset, effectiveAt };
}

/** Why a genuine link has nothing to cancel. @param effectiveAt of what it cancels */
export function toCancelProblem({ effectiveAt }: { effectiveAt: string }): ApiProblem {
  return new ApiProblem(Date.parse(effectiveAt) <= Date.now() ? 'action-code-expired' : 'action-code-invalid');
}

export function sealDisavowalLink({ uid, session, at, to }: SignInRef): Promise<string> {
  return sealLink('disavowal-link', { uid, session, at, to }, Date.parse(at) + DISAVOWAL_MS);
}

/** @throws ApiProblem `action-code-expired`, `action-code-invalid` */
export async function readDisavowalLink(code: string, now = Date.now()): Promise<SignInRef> {
  const { uid = '', session = '', at = '', to = '' } = await readLink('disavowal-link', code, now);
  return { uid, session, at, to };
}

/** A sign-in link: the account and the email that it was sent to, and the identity provider's code. */
export type SignInLink = { uid: string; email: string; code: string };

export function sealSignInLink({ uid, email, code }: SignInLink): Promise<string> {
  return sealLink('sign-in-link', { uid, email, code }, Date.now() + SIGN_IN_LINK_MS);
}

/** @throws ApiProblem `action-code-expired`, `action-code-invalid` */
export async function readSignInLink(code: string, now = Date.now()): Promise<SignInLink> {
  const { uid = '', email = '', code: providerCode = '' } = await readLink('sign-in-link', code, now);
  return { uid, email, code: providerCode };
}

/** The state of a link that cannot be used, by what reading it or its record has thrown. @throws any other error */
export function toLinkState(error: unknown): 'unavailable' | 'expired' | 'invalid' {
  if (!isApiProblem(error)) throw error;
  if (error.code === 'records-unavailable') return 'unavailable';
  return error.code === 'action-code-expired' ? 'expired' : 'invalid';
}

/** @param until milliseconds since 1970 */
function sealLink(purpose: LinkPurpose, payload: Record<string, string>, until: number): Promise<string> {
  return sealShort({ jti: randomUUID(), mark: '', payload, exp: Math.floor(until / 1000) }, getKeys(purpose));
}

async function readLink(purpose: LinkPurpose, code: string, now: number): Promise<Record<string, string>> {
  try {
    return (await unseal(code, getKeys(purpose), now)).payload;
  } catch (error) {
    const isExpired = isApiProblem(error) && error.code === 'code-expired';
    throw new ApiProblem(isExpired ? 'action-code-expired' : 'action-code-invalid', { cause: error });
  }
}

function getKeys(purpose: LinkPurpose | 'confirmation-link'): Uint8Array[] {
  return getSealingKeys(env().TOKEN_ENCRYPTION_SECRET, purpose);
}
