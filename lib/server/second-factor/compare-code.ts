import type { ClientDescription } from '@/lib/server/runtime';
import { consumeLimit } from '@/lib/server/storage';
import { digestRecoveryCode } from './recovery-codes';

/**
 * Hashes a recovery code that was typed, to be compared; counted first.
 * @throws ApiProblem `too-many-requests`
 */
export async function compareCode(
  { uid, code, salt }: { uid: string; code: string; salt: string },
  client: ClientDescription,
): Promise<string> {
  await consumeLimit('compare-recovery-code', `${uid} ${client.network ?? 'unknown'}`);
  return digestRecoveryCode(code, salt, client);
}
