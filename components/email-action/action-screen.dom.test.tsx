import { act, cleanup, screen, waitFor } from '@testing-library/react';
import type { ComponentProps, ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, expect, it, vi } from 'vitest';
import { PublicEnvProvider } from '@/lib/browser/config/context';
import { setAuthStatus } from '@/lib/browser/session/state';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { renderAtOrigin, withTexts } from '@/tests/support/render';
import { ActionScreen } from './action-screen';

// React puts the title into the head, as the framework does.
vi.mock('next/head', () => ({ default: ({ children }: { children: ReactNode }) => children }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  setAuthStatus({ status: 'loading' });
});

const askedFor = { confirmation: null, signIn: null };
const props = { verification: null, scheduled: null, emailChange: null, signIn: null, askedFor };
type Props = ComponentProps<typeof ActionScreen>;

it.each<[string, Pick<Props, 'action'> & Partial<Props>, string, string]>([
  [
    'of the identity provider',
    { action: { mode: 'signIn', code: 'link-1', providerCode: null } },
    'Sign in with your link | Campus',
    'This link no longer works',
  ],
  [
    'that confirms an address',
    { action: { mode: 'verifyEmail', code: 'link-1' }, verification: { state: 'verified', email: 'mia@campus.test' } },
    'Confirm your email | Campus',
    'Your email is confirmed',
  ],
])(
  'a link %s has a title while it is checked, and the focus goes to what comes of it',
  async (_, given, title, end) => {
    renderAtOrigin(['password'], <ActionScreen {...props} {...given} />);
    expect(document.title).toBe(title);
    act(() => setAuthStatus({ status: 'unauthenticated' }));
    const heading = await screen.findByRole('heading', { level: 1, name: end });
    await waitFor(() => expect(document.activeElement).toBe(heading));
  },
);

it('a reset link says that a new password was chosen since, and offers no form', () => {
  renderAtOrigin(['password'], <ActionScreen {...props} action={{ mode: 'resetPassword', code: 'a', isOver: true }} />);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe("You've already chosen a new password");
  expect(screen.getAllByRole('link').map(({ textContent }) => textContent)).toEqual(
    expect.arrayContaining(['Go to sign-in', 'Request a new code']),
  );
  expect(screen.queryByRole('textbox')).toBeNull();
  expect(screen.queryByRole('form')).toBeNull();
});

it('says where scripts do not run why nothing comes of a link', () => {
  const html = renderToString(
    withTexts(
      <PublicEnvProvider value={getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }))}>
        <ActionScreen {...props} action={{ mode: 'signIn', code: 'link-1', providerCode: null }} />
      </PublicEnvProvider>,
    ),
  );
  expect(html).toMatch(/<noscript>.*You need JavaScript to sign in\..*<\/noscript>/);
});

it.each([
  { mode: 'resetPassword', code: 'link-1' },
  { mode: 'signIn', code: 'link-1', providerCode: 'code-1' },
] as const)('tells who opens a link of a disabled account that it is disabled: $mode', async (action) => {
  const error = { code: 400, message: 'USER_DISABLED' };
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ error }, { status: 400 })));
  setAuthStatus({ status: 'unauthenticated' });
  renderAtOrigin(['password'], <ActionScreen {...props} action={action} />);
  await screen.findByText("This account can't sign in. Contact us for help.");
});

it.each([
  ['keepAccount', 'canceled', 'This deletion was canceled'],
  ['keepSecondFactor', 'canceled', 'This request was canceled'],
  // An unreadable link reveals nothing about the account.
  ['keepAccount', 'invalid', 'This link is incomplete'],
  ['keepSecondFactor', 'invalid', 'This link is incomplete'],
] as const)('says of a link of %s that is %s: %s', (mode, state, heading) => {
  renderAtOrigin(
    ['password'],
    <ActionScreen {...props} action={{ mode, code: 'link-1' }} scheduled={{ state, effectiveAt: null }} />,
  );
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(heading);
});
