import * as z from 'zod/mini';
import type { FactorCode } from '@/lib/shared/account/second-factor';
import { ApiProblem } from '@/lib/shared/problem';

/** Longer than any code with its spaces. */
const CODE_MAX = 64;

const text = z.string().check(z.minLength(1), z.maxLength(CODE_MAX));

export const tokenField = z.string().check(z.minLength(1));
export const factorFields = { code: z.optional(text), recoveryCode: z.optional(text) };
export const codeField = text;
/** `waiting`: not the signed-in user sets it up, but the one whose sign-in waits for it. */
export const signInField = z.optional(z.literal('waiting'));

/** @throws ApiProblem `bad-request` unless it is exactly one of them */
export function toFactorCode({
  code,
  recoveryCode,
}: {
  code?: string | undefined;
  recoveryCode?: string | undefined;
}): FactorCode {
  if (code !== undefined && recoveryCode === undefined) return { code: withoutSpaces(code) };
  if (recoveryCode !== undefined && code === undefined) return { recoveryCode };
  throw new ApiProblem('bad-request', { detail: 'Either `code` or `recoveryCode`' });
}

/** Apps show six digits as two groups. */
export function withoutSpaces(code: string): string {
  return code.replaceAll(/\s/g, '');
}
