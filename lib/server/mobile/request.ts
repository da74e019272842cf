import { z } from 'zod';
import { validateCallback } from '@/lib/shared/callback/rules';
import { getPublicEnv } from '../config/env';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { cookieTable } from '@/lib/shared/cookie-table';
import type { RequestWithCookies } from '../http/cookies';
import { digest } from '../digest';

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

/** @returns null for an incomplete or invalid request */
export function parseMobileRequest(values: unknown): MobileRequest | null {
  return requestSchema.safeParse(values).data ?? null;
}

/** The request stored in this browser. */
export function readKeptMobileRequest(req: RequestWithCookies): MobileRequest | null {
  try {
    return parseMobileRequest(JSON.parse(req.cookies[cookieTable.mobileRequest.name] ?? 'null'));
  } catch {
    return null;
  }
}

/** Identifies a request, so that a page can say which one it shows. */
export function getAppName(request: MobileRequest): string {
  return digest(JSON.stringify(request));
}
