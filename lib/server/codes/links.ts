import { randomUUID } from 'node:crypto';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { env, getSealingKeys } from '@/lib/server/runtime';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { getStore } from '@/lib/server/storage';
import { sealShort, unseal, type CodeClaims } from './token';

/** Lifetime of a confirmation link, in seconds. */
const LINK_TTL_SECONDS = LIFETIME.day;

/** The subject of a confirmation link: the email, account and registration it confirms. */
export type LinkSubject = { uid: string; email: string; registration: string };

/**
 * The sealed token of a confirmation link. The identity provider's own codes are not bound to an account: they would
 * confirm any.
 */
export function sealConfirmationLink({ uid, email, registration }: LinkSubject, now = Date.now()): Promise<string> {
  const exp = Math.floor(now / 1000) + LINK_TTL_SECONDS;
  return sealShort({ jti: randomUUID(), mark: '', payload: { uid, email, registration }, exp }, getKeys());
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
    return await unseal(code, getKeys(), now);
  } catch (error) {
    const isExpired = isApiProblem(error) && error.code === 'code-expired';
    throw new ApiProblem(isExpired ? 'action-code-expired' : 'action-code-invalid', { cause: error });
  }
}

function getKeys(): Uint8Array[] {
  return getSealingKeys(env().TOKEN_ENCRYPTION_SECRET, 'confirmation-link');
}
