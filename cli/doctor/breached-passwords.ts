import { tryService } from '@/lib/server/accounts';
import { env } from '@/lib/server/runtime';
import type { Finding } from './types';

/** Looks up a password that every service of breached passwords has. */
export async function checkBreachedPasswords(): Promise<Finding> {
  const what = 'breached passwords';
  const { BREACHED_PASSWORDS_URL: service } = env();
  if (service === undefined) {
    const action = 'Set BREACHED_PASSWORDS_URL to refuse passwords that were stolen elsewhere';
    return { what, state: 'not configured', detail: 'the bundled list of common passwords decides alone', action };
  }
  const action =
    'Check BREACHED_PASSWORDS_URL, and that this machine may connect; until then the bundled list decides alone';
  try {
    if (await tryService(service)) return { what, state: 'works', detail: 'answered within 500 ms', action: null };
    return { what, state: 'does not work', detail: 'answered, but does not know the most common password', action };
  } catch (error) {
    return { what, state: 'does not work', detail: error instanceof Error ? error.message : 'no response', action };
  }
}
