import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RequestScreen } from '@/components/password-reset/request-screen';
import { RegistrationScreen } from '@/components/registration/registration-screen';
import { BackToSignIn } from '@/components/sign-in/back-to-sign-in';
import { EmailLinkScreen } from '@/components/sign-in/email-link-screen';
import { EnterpriseScreen } from '@/components/sign-in/enterprise-screen';
import { SignInScreen } from '@/components/sign-in/sign-in-screen';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { renderAtOrigin } from '@/tests/support/render';

vi.mock('next/router', () => ({
  default: { push: () => Promise.resolve(true) },
  useRouter: () => ({ push: () => Promise.resolve(true) }),
}));
const LENA = 'lena@campus.test';

beforeEach(() => window.sessionStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const open = (element: ReactElement) => renderAtOrigin(['password', 'enterprise'], element);
const getField = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Email' });

const links: [link: string, from: string, ReactElement][] = [
  ['Create an account', '/sign-in', <SignInScreen key="" />],
  ['Email me a sign-in link', '/sign-in', <SignInScreen key="" />],
  ['Sign in with your organization', '/sign-in', <SignInScreen key="" />],
  ['Sign in', '/registration', <RegistrationScreen key="" />],
  ['Back to sign-in', '/forget-password', <RequestScreen key="" />],
  ['Sign in another way', '/sign-in/with-email-link', <EmailLinkScreen key="" />],
  ['Sign in another way', '/sign-in/enterprise', <EnterpriseScreen key="" />],
];

it.each(links)('"%s" of %s takes the typed email along', async (name, _from, element) => {
  open(element);
  const more = screen.queryByText('More ways to sign in');
  if (more) await userEvent.click(more);
  // A password manager fills in the field without an event.
  getField().value = LENA;
  await userEvent.click(await screen.findByRole('link', { name }));
  expect(carriedEmail.get()).toBe(LENA);
});

it('a page without the field keeps the email of the one before', async () => {
  carriedEmail.set(LENA);
  open(<BackToSignIn />);
  await userEvent.click(screen.getByRole('link'));
  expect(carriedEmail.get()).toBe(LENA);
});

it('an organization that is not found leaves the email for the way back', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status: 404 })));
  open(<EnterpriseScreen />);
  await userEvent.type(getField(), LENA);
  await userEvent.click(screen.getByRole('button', { name: 'Continue with SSO' }));
  await waitFor(() => expect(carriedEmail.get()).toBe(LENA));
});
