import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import Router from 'next/router';
import type { ComponentType } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ProviderSignIn } from '@/components/providers/provider-sign-in';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { rememberAccount } from '@/lib/browser/auth/sign-in/remembered-accounts';
import { renderAtOrigin } from '@/tests/support/render';
import { showChooser, type AccountChooserProps } from './account-chooser';

const PAGE = `
  <main>
    <form><input name="email" value=""><input name="password" value=""><input type="checkbox"></form>
    <button name="method">Continue with Google</button>
  </main>
  <footer><select><option>English</option></select></footer>`;

beforeEach(() => {
  document.body.innerHTML = PAGE;
  rememberAccount({ uid: 'mia', email: 'mia@campus.test', displayName: 'Mia Moreau' }, 'password');
});
afterEach(() => {
  cleanup();
  window.localStorage.clear();
});

const focus = (selector: string) => () => document.querySelector<HTMLElement>(selector)?.focus();

it.each<[string, boolean, () => void]>([
  ['nothing is used', true, () => undefined],
  ['the first field has the focus, as on every desktop', true, focus('[name="email"]')],
  ['the language is chosen', true, focus('select')],
  ['another field has the focus', false, focus('[name="password"]')],
  ['another way has the focus', false, focus('[name="method"]')],
  ['another way is at work', false, () => document.querySelector('button')?.setAttribute('aria-disabled', 'true')],
  ['an email was typed', false, () => document.querySelector('input')?.setAttribute('value', 'm')],
  ['there are no accounts', false, () => window.localStorage.clear()],
])('the list replaces the form when %s: %s', (_when, isShown, use) => {
  use();
  const show = vi.fn<(Chooser: unknown) => void>();
  showChooser(show);
  expect(show).toHaveBeenCalledTimes(isShown ? 1 : 0);
});

async function openChooser(method: string, phase: ProviderSignIn['phase'] = { name: 'idle' }) {
  window.localStorage.clear();
  window.sessionStorage.clear();
  rememberAccount({ uid: 'ola', email: 'ola@acme.test', displayName: 'Ola' }, method);
  let Chooser: ComponentType<AccountChooserProps> | undefined;
  showChooser((found) => (Chooser = found));
  if (!Chooser) throw new Error('No list of accounts');
  document.body.innerHTML = '';
  const push = vi.spyOn(Router, 'push').mockResolvedValue(true);
  const press = vi.fn<ProviderSignIn['press']>();
  const approach = vi.fn<ProviderSignIn['approach']>();
  const signIn = { phase, press, cancel: () => undefined, reset: vi.fn(), approach };
  const enabled = ['password', 'enterprise'] as const;
  renderAtOrigin([...enabled], <Chooser enabled={enabled} hasPasskeys={false} signIn={signIn} onChoose={vi.fn()} />);
  await userEvent.click(screen.getByRole('button', { name: /^Ola/ }));
  return {
    pressed: press.mock.calls.map(([provider]) => provider),
    opened: push.mock.calls.flat(),
    isApproached: approach.mock.calls.length > 0,
    carried: carriedEmail.get(),
  };
}

it('an account of an organization is led to its lookup, one of a partner signs in with the partner', async () => {
  const byOrganization = {
    pressed: [],
    opened: ['/sign-in/enterprise'],
    isApproached: false,
    carried: 'ola@acme.test',
  };
  expect(await openChooser('saml.acme')).toEqual(byOrganization);
  cleanup();
  vi.mocked(Router.push).mockClear();
  // The code must be loaded before the press, because browsers would otherwise block its window. With an email, no list
  // is shown after a failure.
  const byPartner = { pressed: ['oidc.acme'], opened: [], isApproached: true, carried: '' };
  expect(await openChooser('oidc.acme')).toEqual(byPartner);
});

it('says how the sign-in with the partner goes, and starts it once', async () => {
  expect((await openChooser('oidc.acme', { name: 'busy', provider: 'oidc.acme' })).pressed).toEqual([]);
  expect(screen.getByText('Signing you in')).toBeDefined();
  cleanup();
  const failure = { code: 'auth/popup-closed-by-user', retryAfter: null } as const;
  await openChooser('oidc.acme', { name: 'failed', provider: 'oidc.acme', failure });
  expect(screen.getByText(/^You closed the sign-in window/)).toBeDefined();
});
