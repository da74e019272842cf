import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { judgeCallback } from '@/lib/callback/rules';
import { publicEnv } from '@/lib/config/env';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { cookieTable } from '@/lib/cookies/table';
import { digest } from '../session/sid';

/** What the mobile app asks for (RFC 8252; PKCE by S256 alone, RFC 7636). */
const requestSchema = z.object({
  redirect_uri: z.string().refine((address) => {
    const verdict = judgeCallback(address, callbackPolicyOf(publicEnv()));
    return verdict.accepted && verdict.rule === 'mobile-app';
  }),
  state: z.string().regex(/^[\x21-\x7e]{8,512}$/),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
  code_challenge_method: z.literal('S256').default('S256'),
});
export type MobileRequest = z.output<typeof requestSchema>;

/** @returns null for anything that is not a whole and honest request */
export function readMobileRequest(values: unknown): MobileRequest | null {
  return requestSchema.safeParse(values).data ?? null;
}

/** The request kept in this browser. */
export function keptMobileRequest(
  req: IncomingMessage & { cookies: Partial<Record<string, string>> },
): MobileRequest | null {
  try {
    return readMobileRequest(JSON.parse(req.cookies[cookieTable.mobileRequest.name] ?? 'null'));
  } catch {
    return null;
  }
}

/** Names a request, so that a page can say which one it shows. */
export function nameOf(request: MobileRequest): string {
  return digest(JSON.stringify(request));
}
