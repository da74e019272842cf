import { createSignInLink } from '@/lib/server/identity';
import { nextSecond } from './client';

/**
 * Creates the code of a sign-in link as the app emails it. A link from the second of its account's creation no longer
 * works.
 */
export async function createLinkCode(user: { uid: string; email: string }): Promise<string> {
  await nextSecond();
  const link = await createSignInLink(user, { origin: 'http://localhost:3000', callback: undefined });
  return new URL(link).searchParams.get('oobCode') ?? '';
}
