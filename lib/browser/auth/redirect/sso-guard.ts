import type { PublicEnv } from '@/lib/shared/config/public-env';
import { readCookie, removeCookie, writeCookie } from '@/lib/browser/cookies';

/**
 * Records in `sso-login-init` that this browser was redirected to an organization's sign-in. If the entry is still
 * there without a result, the sign-in got stuck, and must not be redirected automatically again.
 */
export function markSsoStart(env: PublicEnv, provider: string): void {
  writeCookie('ssoLoginInit', provider, env.mainDomain);
}

/** The provider of a sign-in that has had no result; the entry expires after 15 minutes. */
export function getPendingSsoStart(): string | null {
  return readCookie('ssoLoginInit') ?? null;
}

export function endSsoStart(env: PublicEnv): void {
  removeCookie('ssoLoginInit', env.mainDomain);
}
