import type { PublicEnv } from '@/lib/shared/config/public-env';
import { readCookie, removeCookie, writeCookie } from '@/lib/browser/cookies';

/** Whether the learner marked this as a shared computer: no data of their sign-in may outlive the browser session. */
export function isSharedComputer(): boolean {
  return readCookie('sharedComputer') === '1';
}

export function setSharedComputer(env: PublicEnv, shared: boolean): void {
  if (shared) writeCookie('sharedComputer', '1', env.mainDomain);
  else removeCookie('sharedComputer', env.mainDomain);
}
