import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { TOKEN_METHODS } from '@/lib/shared/sign-in-methods';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { FACTORS } from '@/lib/server/policy';
import { isEqualInConstantTime, type ClientDescription, setRequestAccount, digest } from '@/lib/server/runtime';
import { recordEvent, getStore } from '@/lib/server/storage';
import { mintCustomToken, type RecentSession } from '../custom-token';
import { verifySessionUncached } from '../decide';
import type { MobileRequest } from './request';

/** Lifetime of a code, in seconds (docs/product.md#screens), and its random bytes. */
const CODE_TTL_SECONDS = 60;
const CODE_BYTES = 32;

const grantSchema = z.object({
  uid: z.string(),
  sid: z.string(),
  authenticatedAt: z.number(),
  renewedAt: z.number().nullable().default(null),
  provider: z.string(),
  method: z.literal(TOKEN_METHODS).nullable().default(null),
  factor: z.literal(FACTORS).nullable().default(null),
  email: z.string().nullable().default(null),
  challenge: z.string(),
  redirectUri: z.string(),
});

const getKey = (code: string) => `mobile-code:${digest(code)}`;
const getUsedKey = (code: string) => `mobile-code-used:${digest(code)}`;

/**
 * Builds the redirect URI that carries a one-time code to the mobile app.
 * @returns the request's own redirect URI with `code` and `state`
 */
export async function issueMobileCode(session: RecentSession, request: MobileRequest): Promise<string> {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const grant = { ...session, challenge: request.code_challenge, redirectUri: request.redirect_uri };
  await getStore().set(getKey(code), JSON.stringify(grant), CODE_TTL_SECONDS);
  const address = new URL(request.redirect_uri);
  address.searchParams.set('code', code);
  address.searchParams.set('state', request.state);
  return address.href;
}

type TokenRequest = { code: string; verifier: string; redirectUri?: string; client: ClientDescription };

/**
 * Exchanges a code for a custom token, once. It is a sign-in of the account: the app needs no session of this server.
 * @param request `verifier`: the value the challenge was derived from (RFC 7636, section 4.6); `redirectUri`: must be
 *   that of the authorization request, if the app sends it (RFC 6749, section 4.1.3); `client`: the app, for the event
 * @throws ApiProblem `invalid_grant`, which does not say why; 503
 */
export async function redeemMobileCode({ code, verifier, redirectUri, client }: TokenRequest): Promise<string> {
  const kept = await getStore().get(getKey(code));
  if (kept === null) throw new ApiProblem('invalid_grant');
  // Mark the code as used before any comparison: a stolen code gets one try.
  if (!(await getStore().setIfAbsent(getUsedKey(code), '1', CODE_TTL_SECONDS))) throw new ApiProblem('invalid_grant');
  await getStore().delete(getKey(code));
  const { challenge, redirectUri: granted, ...session } = grantSchema.parse(JSON.parse(kept));
  setRequestAccount(session.uid);
  if (!isEqualInConstantTime(digest(verifier), challenge)) throw new ApiProblem('invalid_grant');
  if (redirectUri !== undefined && redirectUri !== granted) throw new ApiProblem('invalid_grant');
  await verifySessionUncached({ ...session, sids: [session.sid] }).catch((error: unknown) => {
    throw isApiProblem(error) && error.status === 401 ? new ApiProblem('invalid_grant') : error;
  });
  const token = await mintCustomToken(session);
  const method = session.provider === 'custom' ? undefined : session.provider;
  recordEvent({ uid: session.uid, kind: 'signed-in', client, method });
  return token;
}
