import { createSignInLink } from '@/lib/server/identity';
import { nextSecond } from './client';

/** The code of a sign-in link, as the app emails it. A link of the second in which its account was created has ended. */
export async function createLinkCode(user: { uid: string; email: string }): Promise<string> {
  await nextSecond();
  const link = await createSignInLink(user, { origin: 'http://localhost:3000', callback: undefined });
  return new URL(link).searchParams.get('oobCode') ?? '';
}
