import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readHostCookie, type RequestCookies } from '@/lib/server/http';
import { FACTORS } from '@/lib/server/policy';
import {
  digest,
  getPublicEnv,
  isEqualInConstantTime,
  setRequestAccount,
  type ClientDescription,
} from '@/lib/server/runtime';
import { getStore, recordEvent, spendOnce } from '@/lib/server/storage';
import { validateCallback } from '@/lib/shared/callback/rules';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { fitsCookie } from '@/lib/shared/cookie-table';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { TOKEN_METHODS } from '@/lib/shared/sign-in-methods';
import { mintHandoffToken, type RecentSession } from './tokens';
import { verifySessionUncached } from './verify-sign-in';

/** The mobile app's authorization request (RFC 8252; PKCE with S256 only, RFC 7636). */
const requestSchema = z.object({
  redirect_uri: z.string().refine((address) => {
    const validation = validateCallback(address, getCallbackPolicy(getPublicEnv()));
    return validation.accepted && validation.rule === 'mobile-app';
  }),
  state: z.string().regex(/^[\x21-\x7e]{8,512}$/),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
  code_challenge_method: z.literal('S256').default('S256'),
});
type MobileRequest = z.output<typeof requestSchema>;

/** @returns null if the request is incomplete, invalid or too long for its cookie */
export function parseMobileRequest(values: unknown): MobileRequest | null {
  const request = requestSchema.safeParse(values).data;
  return request && fitsCookie('mobileRequest', packMobileRequest(request)) ? request : null;
}

/**
 * Packs the request for the cookie. It is at most a third longer than the request, whatever characters its `state` has.
 * None of the three values contains a line break.
 */
export function packMobileRequest({ redirect_uri, state, code_challenge }: MobileRequest): string {
  return Buffer.from([redirect_uri, state, code_challenge].join('\n')).toString('base64url');
}

/** Reads the request stored in this browser. */
export function readKeptMobileRequest(req: RequestCookies): MobileRequest | null {
  const value = Buffer.from(readHostCookie(req, 'mobileRequest') ?? '', 'base64url').toString('utf8');
  const [redirect_uri, state, code_challenge] = value.split('\n');
  return parseMobileRequest({ redirect_uri, state, code_challenge });
}

/** Returns an id of a request, so that a page can identify the request that it shows. */
export function getAppName(request: MobileRequest): string {
  return digest(JSON.stringify(request));
}

/** Lifetime of a code in seconds (docs/product.md#screens), and its random bytes. */
const CODE_TTL_SECONDS = 60;
const CODE_BYTES = 32;

const grantSchema = z.object({
  uid: z.string(),
  sid: z.string(),
  /** Includes the session itself, because it can be ended alone. */
  sids: z.array(z.string()),
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
 * Builds the redirect URI with a one-time code for the mobile app.
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
 * Exchanges a code for a custom token, once. It is a sign-in to the account, and the app needs no session of this
 * server.
 * @param request `verifier`: the value that the challenge was derived from (RFC 7636, section 4.6); `redirectUri`: if
 *   the app sends it, must equal the authorization request's (RFC 6749, section 4.1.3); `client`: the app, for the
 *   event
 * @throws ApiProblem `invalid_grant`, which does not reveal the reason, or 503
 */
export async function redeemMobileCode({ code, verifier, redirectUri, client }: TokenRequest): Promise<string> {
  const kept = await getStore().get(getKey(code));
  if (kept === null) throw new ApiProblem('invalid_grant');
  // Mark the code as used before any comparison, so that a stolen code gets only a single try.
  if ((await spendOnce(getUsedKey(code), CODE_TTL_SECONDS)) === null) throw new ApiProblem('invalid_grant');
  await getStore().delete(getKey(code));
  const { challenge, redirectUri: expected, ...session } = grantSchema.parse(JSON.parse(kept));
  setRequestAccount(session.uid);
  if (!isEqualInConstantTime(digest(verifier), challenge)) throw new ApiProblem('invalid_grant');
  if (redirectUri !== undefined && redirectUri !== expected) throw new ApiProblem('invalid_grant');
  await verifySessionUncached(session).catch((error: unknown) => {
    throw isApiProblem(error) && error.status === 401 ? new ApiProblem('invalid_grant') : error;
  });
  const token = await mintHandoffToken(session, true);
  const method = session.provider === 'custom' ? undefined : session.provider;
  recordEvent({ uid: session.uid, kind: 'signed-in', client, method });
  return token;
}
