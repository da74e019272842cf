import { checkAuthStatus } from '@/lib/browser/session/api';
import { pathWithReturn } from '@/lib/shared/paths';
import { carryEmail } from './carried-email';

/** Leads to sign-in, which returns to /security, if the session is over. @returns whether the page is being left */
export async function leaveIfSignedOut(email: string | null): Promise<boolean> {
  const session = await checkAuthStatus();
  if (session.ok || session.status !== 401) return false;
  carryEmail(email ?? '');
  window.location.assign(pathWithReturn('security', 'AutoSignOut'));
  return true;
}
