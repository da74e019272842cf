import type { PublicEnv } from '@/lib/config/public-env';
import { readCookie, removeCookie, writeCookie } from '@/lib/cookies/browser';

/**
 * Notes in `sso-login-init` that this browser has left for an organisation's sign-in. Whoever finds the note again without
 * an answer was stuck there, and must not be sent off a second time by itself.
 */
export function markSsoStart(env: PublicEnv, provider: string): void {
  writeCookie('ssoLoginInit', provider, env.mainDomain);
}

/** The provider of a start that has had no answer for at most 15 minutes. */
export function unansweredSsoStart(): string | null {
  return readCookie('ssoLoginInit') ?? null;
}

export function endSsoStart(env: PublicEnv): void {
  removeCookie('ssoLoginInit', env.mainDomain);
}
