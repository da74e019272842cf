import { beforeEach, expect, it } from 'vitest';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { toSignInFailure } from './error-codes';

const reports: { message: string; context: object }[] = [];
connectErrorSink(({ error, context }) => reports.push({ message: (error as Error).message, context }));
beforeEach(() => void reports.splice(0));

type Result = Parameters<typeof toSignInFailure>[0];
const refused = (code: Result['code'], status: number, retryAfter: number | null = null): Result => {
  return { ok: false, code, status, retryAfter, triesLeft: null };
};

it.each([
  ['network', 0, 'auth/network-request-failed'],
  ['provider-unavailable', 503, 'auth/session-unavailable'],
  ['records-unavailable', 503, 'auth/session-unavailable'],
  ['too-many-requests', 429, 'auth/too-many-requests'],
  ['provider-not-allowed', 403, 'auth/provider-not-allowed'],
] as const)('shows the text of %s (%i), and does not report it', (code, status, expected) => {
  expect(toSignInFailure(refused(code, status, 7))).toEqual({ code: expected, retryAfter: 7 });
  expect(reports).toEqual([]);
});

it.each([
  ['unreadable', 502],
  ['internal-error', 500],
  ['foreign-origin', 403],
  ['legacy-sign-in-required', 403],
] as const)('reports %s (%i), which has no text of its own', (code, status) => {
  expect(toSignInFailure(refused(code, status))).toEqual({ code: 'unknown', retryAfter: null });
  expect(reports).toEqual([{ message: 'A sign-in failed with a code that has no text', context: { code, status } }]);
});
