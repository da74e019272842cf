import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { keepReturnForLink } from '@/lib/browser/auth/link-return';
import { renderAtOrigin } from '@/tests/support/render';
import { ResetPanel } from './panels';

const push = vi.hoisted(() => vi.fn(() => Promise.resolve(true)));
vi.mock('next/router', () => ({ default: { push }, useRouter: () => ({ push }) }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  push.mockClear();
  sessionStorage.clear();
  localStorage.clear();
});

const email = 'mia@campus.test';
const typePassword = () =>
  userEvent.type(screen.getByLabelText('New password', { selector: 'input' }), 'quiet-lantern-42{Enter}');

it('after a reset by link, returns to the page that the tab of the request was to return to', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({})));
  sessionStorage.setItem('return-to', 'security');
  keepReturnForLink(email);
  // The tab of the link.
  sessionStorage.clear();
  renderAtOrigin(['password'], <ResetPanel action={{ mode: 'resetPassword', code: 'link-1' }} email={email} />);
  await typePassword();
  await waitFor(() => expect(push).toHaveBeenCalledWith('/forget-password/confirmation'));
  expect(sessionStorage.getItem('return-to')).toBe('security');
});
