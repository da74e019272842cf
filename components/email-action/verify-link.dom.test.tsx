import { cleanup, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { keepReturnForLink } from '@/lib/browser/auth/link-return';
import { setAuthStatus } from '@/lib/browser/session/state';
import { renderAtOrigin } from '@/tests/support/render';
import { VerifyLink } from './verify-link';

// React puts the title into the head, as the framework does.
vi.mock('next/head', () => ({ default: ({ children }: { children: ReactNode }) => children }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  setAuthStatus({ status: 'loading' });
  sessionStorage.clear();
  localStorage.clear();
});

const email = 'mia@campus.test';

function openLink(answer: object) {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(answer)));
  const left = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  setAuthStatus({ status: 'unauthenticated' });
  renderAtOrigin(
    ['password'],
    <VerifyLink code="link-1" verification={{ state: 'same-browser', email }} canResend={false} />,
  );
  return left;
}

it.each([
  ['a passkey', { method: 'passkey', flow: 'one' }, '/registration/confirm?flow=one'],
  ['a password', { method: 'password', flow: 'one' }, '/registration/success'],
])('who registered with %s, and is not signed in by the link, is led to what they can do', async (_, answer, page) => {
  const left = openLink(answer);
  await waitFor(() => expect(left).toHaveBeenCalledWith(page));
  expect(left).toHaveBeenCalledTimes(1);
});

it('returns to the page that the tab of the registration was to return to', async () => {
  sessionStorage.setItem('return-to', 'security');
  keepReturnForLink(email);
  // This is the tab of the link.
  sessionStorage.clear();
  const left = openLink({});
  await waitFor(() => expect(left).toHaveBeenCalledTimes(1));
  expect(sessionStorage.getItem('return-to')).toBe('security');
});

it('restored by the Back button, says what became of the link', async () => {
  const reloaded = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
  const left = openLink({});
  await waitFor(() => expect(left).toHaveBeenCalledTimes(1));
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  expect(reloaded).toHaveBeenCalledTimes(1);
});
