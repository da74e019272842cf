import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { rememberAccount } from '@/lib/browser/auth/sign-in/remembered-accounts';
import { showChooser } from './account-chooser';

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
afterEach(() => window.localStorage.clear());

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
