import { createActionLink } from '@/lib/server/notifications';

/** The code of a sign-in link, as the app emails it. */
export async function createLinkCode({ email }: { email: string }): Promise<string> {
  const link = await createActionLink('signIn', email, { origin: 'http://localhost:3000', callback: undefined });
  return new URL(link).searchParams.get('oobCode') ?? '';
}
