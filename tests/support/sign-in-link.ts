import { createSignInLink } from '@/lib/server/identity';

/** The code of a sign-in link, as the app emails it. */
export async function createLinkCode(user: { uid: string; email: string }): Promise<string> {
  const link = await createSignInLink(user, { origin: 'http://localhost:3000', callback: undefined });
  return new URL(link).searchParams.get('oobCode') ?? '';
}
