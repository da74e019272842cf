// Threats: stale-tab
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { PublicEnvProvider } from '@/lib/browser/config/context';
import { getAuthStatus, getPageAccount, setAuthStatus, setPageAccount } from '@/lib/browser/session/state';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { SessionBootstrap } from './session-bootstrap';

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const { endSession } = vi.hoisted(() => ({ endSession: vi.fn() }));
vi.mock('@/lib/browser/session/end-session', () => ({ endSession }));
const replace = vi.spyOn(window.location, 'replace').mockReturnValue();
const otherTab = new BroadcastChannel('learner-session');

function open(page: string, accountUid: string | undefined) {
  vi.clearAllMocks();
  window.location.href = `http://localhost:3000${page}`;
  setPageAccount(accountUid ?? null);
  render(
    <PublicEnvProvider value={env}>
      <SessionBootstrap bounced={null} accountUid={accountUid} />
    </PublicEnvProvider>,
  );
  // The first check has found a session.
  setAuthStatus({ status: 'loading' });
  setPageAccount('mia');
  otherTab.postMessage('signed-out');
}
afterEach(cleanup);

const pages: [page: string, accountUid: string | undefined][] = [
  ['/sign-in/set-up-second-factor', 'mia'],
  ['/sign-in/second-factor', 'mia'],
  ['/sign-in/second-factor', undefined],
  ['/actions', undefined],
];

it.each(pages)('a sign-out in another tab, on %s of the account %s, ends the session here', async (page, uid) => {
  open(page, uid);
  await vi.waitFor(() => expect(endSession).toHaveBeenCalledWith(env, uid));
});

it.each(pages)('where its code does not load, on %s of the account %s, nothing typed is lost', async (page, uid) => {
  vi.doMock('@/lib/browser/session/end-session', () => {
    throw new Error('offline');
  });
  open(page, uid);
  if (uid !== undefined) return vi.waitFor(() => expect(replace.mock.calls).toEqual([[page]]));
  await vi.waitFor(() => expect(getAuthStatus()).toEqual({ status: 'unauthenticated' }));
  expect(getPageAccount()).toBeNull();
  expect(replace).not.toHaveBeenCalled();
});
