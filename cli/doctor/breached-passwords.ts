import { tryService } from '@/lib/server/accounts';
import { env } from '@/lib/server/runtime';
import { works, fails, notConfigured, type Finding } from './types';

/** Looks up a password that every service of breached passwords has. */
export async function checkBreachedPasswords(): Promise<Finding> {
  const what = 'breached passwords';
  const { BREACHED_PASSWORDS_URL: service } = env();
  if (service === undefined) {
    const action = 'Set BREACHED_PASSWORDS_URL to refuse passwords that were stolen elsewhere';
    return notConfigured(what, 'the bundled list of common passwords decides alone', action);
  }
  const action =
    'Check BREACHED_PASSWORDS_URL, and that this machine may connect; until then the bundled list decides alone';
  try {
    if (await tryService(service)) return works(what, 'answered within 500 ms');
    return fails(what, 'answered, but does not know the most common password', action);
  } catch (error) {
    return fails(what, error instanceof Error ? error.message : 'no response', action);
  }
}
