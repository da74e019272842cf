import { z } from 'zod';
import { validateCallback } from '@/lib/shared/callback/rules';
import { getPublicEnv, digest } from '@/lib/server/runtime';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { fitsCookie } from '@/lib/shared/cookie-table';
import { readHostCookie, type RequestCookies } from '@/lib/server/http';

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
export type MobileRequest = z.output<typeof requestSchema>;

/** @returns null for a request that is incomplete, invalid or too long for its cookie */
export function parseMobileRequest(values: unknown): MobileRequest | null {
  const request = requestSchema.safeParse(values).data;
  return request && fitsCookie('mobileRequest', packMobileRequest(request)) ? request : null;
}

/**
 * The cookie's value, at most a third longer than the request whatever characters its `state` has. None of the three
 * contains a line break.
 */
export function packMobileRequest({ redirect_uri, state, code_challenge }: MobileRequest): string {
  return Buffer.from([redirect_uri, state, code_challenge].join('\n')).toString('base64url');
}

function unpackMobileRequest(value: string): unknown {
  // Stored by the version before.
  if (value.startsWith('{')) return JSON.parse(value);
  const [redirect_uri, state, code_challenge] = Buffer.from(value, 'base64url').toString('utf8').split('\n');
  return { redirect_uri, state, code_challenge };
}

/** The request stored in this browser. */
export function readKeptMobileRequest(req: RequestCookies): MobileRequest | null {
  try {
    return parseMobileRequest(unpackMobileRequest(readHostCookie(req, 'mobileRequest') ?? ''));
  } catch {
    return null;
  }
}

/** Identifies a request, so that a page can say which one it shows. */
export function getAppName(request: MobileRequest): string {
  return digest(JSON.stringify(request));
}
