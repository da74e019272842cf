import { beforeAll, expect, it, vi } from 'vitest';
import { emitAuthEvent } from '@/lib/browser/auth/sign-in/events';
import { setAuthStatus } from '@/lib/browser/session/state';
import type { AnalyticsPlugin } from './analytics';
import { startAnalytics } from './start';

const { recorded, identities, plugin } = vi.hoisted(() => {
  const names: string[] = [];
  const calls: string[][] = [];
  const nothing = () => undefined;
  let id = '';
  const service: AnalyticsPlugin = {
    distinctId: () => id,
    identify: (email) => void calls.push(['identify', (id = email)]),
    reset: nothing,
    withdraw: nothing,
    alias: (alias, of) => void calls.push(['alias', alias, of]),
    setPeople: nothing,
    track: (event) => Promise.resolve(void names.push(event)),
  };
  return { recorded: names, identities: calls, plugin: service };
});
vi.mock('./mixpanel', () => ({ startMixpanel: () => plugin }));

beforeAll(() => {
  document.cookie = 'marketing-consent=true; path=/';
  startAnalytics({ token: 'project-token', apiHost: null, testMailbox: 'test@campus.test' }, 'Campus');
});

function showSession(email: string): void {
  const never = '2100-01-01T00:00:00Z';
  const pat = { uid: 'uid-1', email, displayName: 'Pat', photoURL: null, emailVerified: true };
  setAuthStatus({ status: 'authenticated', session: { ...pat, expiresAt: never, refreshAfter: never, assurance: 1 } });
}

async function signIn(sessionId: string): Promise<void> {
  recorded.length = 0;
  document.cookie = `kk_sid=${sessionId}; path=/`;
  showSession('pat@campus.test');
  await vi.waitFor(() => expect(recorded).toEqual(['Page View']));
}

/** @returns the events that were recorded for the sign-out */
async function hearOfSignOut(): Promise<string[]> {
  recorded.length = 0;
  document.cookie = 'kk_sid=; path=/; max-age=0';
  emitAuthEvent('signOut');
  setAuthStatus({ status: 'unauthenticated' });
  // Later events of the same learner are recorded after it.
  await new Promise((resolve) => setTimeout(resolve));
  return [...recorded];
}

it('records the sign-out of a session once, however often this browser hears of it', async () => {
  await signIn('sid-1');
  expect(await hearOfSignOut()).toEqual(['signOut']);
  // Another tab has not been notified yet.
  await signIn('sid-1');
  expect(await hearOfSignOut()).toEqual([]);
  await signIn('sid-2');
  expect(await hearOfSignOut()).toEqual(['signOut']);
});

it('keeps the learner whose email was changed on this page', async () => {
  await signIn('sid-3');
  identities.length = 0;
  showSession('pat.moreau@campus.test');
  await vi.waitFor(() =>
    expect(identities).toEqual([
      ['alias', 'pat.moreau@campus.test', 'pat@campus.test'],
      ['identify', 'pat.moreau@campus.test'],
      ['alias', 'uid-1', 'pat.moreau@campus.test'],
    ]),
  );
  // The same state again changes nothing.
  showSession('pat.moreau@campus.test');
  await new Promise((resolve) => setTimeout(resolve));
  expect(identities).toHaveLength(3);
});
