import { randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ApiProblem } from '@/lib/api/problem';
import { customTokenFor, requireStanding, type ProvenSession } from '../session/custom-token';
import { digest } from '../session/sid';
import { sharedStore } from '../store';
import type { MobileRequest } from './request';

/** How long a code lives, in seconds (product decisions, 6), and its random bytes. */
const LIFETIME = 60;
const BYTES = 32;

const grantSchema = z.object({ uid: z.string(), sid: z.string(), provedAt: z.number(), challenge: z.string() });

const keyOf = (code: string) => `mobile-code:${digest(code)}`;
const usedKeyOf = (code: string) => `mobile-code-used:${digest(code)}`;

/**
 * Makes the address that takes a one-time code to the mobile app.
 * @returns the request's own address with `code` and `state`
 */
export async function issueMobileCode(session: ProvenSession, request: MobileRequest): Promise<string> {
  const code = randomBytes(BYTES).toString('base64url');
  const grant = { ...session, challenge: request.code_challenge };
  await sharedStore().set(keyOf(code), JSON.stringify(grant), LIFETIME);
  const address = new URL(request.redirect_uri);
  address.searchParams.set('code', code);
  address.searchParams.set('state', request.state);
  return address.href;
}

/**
 * Exchanges a code for a custom token, once.
 * @param verifier what the challenge was made of (RFC 7636, section 4.6)
 * @throws ApiProblem `invalid_grant`, which does not say why; 503
 */
export async function redeemMobileCode(code: string, verifier: string): Promise<string> {
  const kept = await sharedStore().get(keyOf(code));
  if (kept === null) throw new ApiProblem('invalid_grant');
  // Used up before anything is compared: whoever holds a code has one try.
  if (!(await sharedStore().setIfAbsent(usedKeyOf(code), '1', LIFETIME))) throw new ApiProblem('invalid_grant');
  await sharedStore().delete(keyOf(code));
  const { challenge, ...session } = grantSchema.parse(JSON.parse(kept));
  if (!isSame(digest(verifier), challenge)) throw new ApiProblem('invalid_grant');
  await requireStanding(session).catch((error: unknown) => {
    throw error instanceof ApiProblem && error.status === 401 ? new ApiProblem('invalid_grant') : error;
  });
  return customTokenFor(session);
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
