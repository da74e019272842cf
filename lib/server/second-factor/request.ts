import * as z from 'zod/mini';
import { ApiProblem } from '@/lib/shared/problem';
import { readHostCookie, type RequestWithCookies } from '@/lib/server/http';
import { type LiveSession, requireSessionNow } from '@/lib/server/session';
import type { TypedCode } from './attempt';
import { recoveryCodes } from './recovery-codes';
import { requireSignInToSetUp, type WaitingSignIn } from './sign-in';
import { totp } from './totp';

/** Longer than any code with its spaces. */
const CODE_MAX = 64;

const text = z.string().check(z.minLength(1), z.maxLength(CODE_MAX));

export const tokenField = z.string().check(z.minLength(1));
export const factorFields = { code: z.optional(text), recoveryCode: z.optional(text) };
export const codeField = text;
/** `waiting`: not the signed-in user sets it up, but the one whose sign-in waits for it. */
export const signInField = z.optional(z.literal('waiting'));

/** @throws ApiProblem `bad-request` unless it is exactly one of them */
export function toTypedCode(typed: { code?: string | undefined; recoveryCode?: string | undefined }): TypedCode {
  const { code, recoveryCode } = typed;
  if (code !== undefined && recoveryCode === undefined) return { factor: totp, typed: withoutSpaces(code) };
  if (recoveryCode !== undefined && code === undefined) return { factor: recoveryCodes, typed: recoveryCode };
  throw new ApiProblem('bad-request', { detail: 'Either `code` or `recoveryCode`' });
}

/** Apps show six digits as two groups. */
export function withoutSpaces(code: string): string {
  return code.replaceAll(/\s/g, '');
}

/** Who sets a second factor up. `limitKey`: of its rate limit. */
type SetUpSubject = { uid: string; limitKey: string } & (
  { by: 'session'; session: LiveSession } | { by: 'sign-in'; secret: string; waiting: WaitingSignIn }
);

/**
 * Who sets a second factor up: the signed-in user, or the one whose sign-in waits for it. The page says which of them it shows: a browser can have
 * both, of different accounts.
 * @throws ApiProblem as `requireSessionNow` and `requireSignInToSetUp`
 */
export async function requireSetUpSubject(
  req: RequestWithCookies,
  signIn: 'waiting' | undefined,
): Promise<SetUpSubject> {
  if (signIn === undefined) {
    const session = await requireSessionNow(req);
    const { uid } = session.status;
    return { by: 'session', uid, limitKey: uid, session };
  }
  const secret = readHostCookie(req, 'pendingSignIn') ?? '';
  const waiting = await requireSignInToSetUp(secret);
  const { uid, digest } = waiting.pending;
  return { by: 'sign-in', uid, limitKey: digest, secret, waiting };
}
