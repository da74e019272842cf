// ASVS: 6.1.1, 7.4.1
// Threats: flooding
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Route } from '@/lib/server/http';
import { sealDeletionLink, sealDisavowalLink, sealResetLink } from '@/lib/server/codes/links';
import { consumeLimit } from '@/lib/server/storage/rate-limits';
import { getLimit, LIMITS, type LimitName } from '@/lib/server/storage/rate-limits/table';
import { allApiFiles } from '../../scripts/lib/api-files.mjs';
import { serveSessions, SESSION } from '../support/session-app';
import { nextSecond, type CookieJar } from '../support/client';

process.env.TRUSTED_PROXY_HOPS = '1';
const app = serveSessions();

const id = randomUUID();
const token = 'x'.repeat(20);
/** Bodies that each call accepts, so that the call is counted. */
const BODIES: Record<string, object> = {
  '/api/account/activity': { before: null },
  '/api/account/check-sign-in': { session: id, isOwn: true },
  '/api/account/data': { token },
  '/api/account/delete': { token },
  '/api/account/email': { email: 'mia@new.test', token },
  '/api/account/email/confirm': { code: 'ABC234' },
  '/api/account/end-sessions': { session: id },
  '/api/account/name': { name: 'Mia' },
  '/api/account/password': { current: 'quiet-lantern-41', password: 'quiet-lantern-42' },
  '/api/account/recovery-email': { change: 'remove', token },
  '/api/account/unlink-method': { token, method: 'google.com' },
  '/api/mobile/authorize': { request: 'app' },
  '/api/passkeys/creation-options': { source: 'settings' },
  '/api/passkeys/remove': { id },
  '/api/passkeys/rename': { id, name: 'Laptop' },
  '/api/second-factor/add-app': {},
  '/api/second-factor/confirm-app': { code: '123456' },
  '/api/second-factor/confirm-codes': { recoveryCode: 'ABCD-2345' },
  '/api/second-factor/prove': { code: '123456', token },
  '/api/second-factor/recovery-codes': {},
  '/api/second-factor/remove-app': { id },
  '/api/second-factor/step-up': { code: '123456' },
};
const EFFECTIVE_AT = new Date(Date.now() + 86_400_000).toISOString();
/** Links that our server has sealed, whatever happened to their subject. */
const LINKS: Record<string, () => Promise<string>> = {
  '/api/actions/disavow-sign-in': () =>
    sealDisavowalLink({ uid: app.user.uid, session: randomUUID(), at: new Date().toISOString(), to: '' }),
  '/api/actions/keep-account': () =>
    sealDeletionLink({ uid: app.user.uid, deletion: randomUUID(), effectiveAt: EFFECTIVE_AT }),
  '/api/actions/keep-second-factor': () =>
    sealResetLink({ uid: app.user.uid, reset: randomUUID(), effectiveAt: EFFECTIVE_AT, copyTo: '' }),
};
/** This call ends all sessions of the account, so it is last. */
const LAST = '/api/account/sign-out-everywhere';

async function readRoutes() {
  const modules = await Promise.all(
    allApiFiles().map(async ({ route, file }) => {
      const loaded = (await import(/* @vite-ignore */ `../..${file}`)) as { default: Partial<Route> };
      return { path: route, limit: loaded.default.route?.limit, method: loaded.default.route?.method ?? 'POST' };
    }),
  );
  return modules.flatMap(({ path, limit, method }) =>
    typeof limit === 'object' ? [{ path, limit: limit.name, method }] : [],
  );
}

let network = 0;
/** The address of a school for which nothing was counted yet. */
let school: string;
beforeEach(() => {
  network += 1;
  school = `203.0.113.${String(network)}`;
});

/** Uses up every limit by client address, as a neighbor without an account can. */
async function useUp(...names: LimitName[]): Promise<void> {
  for (const name of names) {
    expect(getLimit(name).ipv6Prefix ?? 64).toBeGreaterThan(0);
    const hits = Array.from({ length: LIMITS[name].points }, () => consumeLimit(name, school));
    await Promise.allSettled(hits);
  }
}

const browserAt = (address: string): CookieJar => {
  const jar = app.newBrowser();
  jar.headers['x-forwarded-for'] = address;
  return jar;
};
const signedIn = async () => {
  // The session was opened elsewhere, because its sign-in must not depend on the neighbor.
  const jar = browserAt('198.51.100.20');
  await app.signIn(jar);
  jar.headers['x-forwarded-for'] = school;
  return jar;
};
const getBody = (path: string) =>
  BODIES[path] ?? (path.startsWith('/api/actions') ? { code: 'x'.repeat(40) } : undefined);
const send = async (jar: CookieJar, path: string, method: string, body = getBody(path)) => {
  if (method === 'POST') {
    const answer = await jar.post(app.origin + path, body);
    // An invalid body is not counted, so such a call would prove nothing.
    expect(answer.body?.detail ?? '').not.toMatch(/^Missing or wrong/);
    expect(answer.body?.code).not.toBe('proof-required');
    return answer.status;
  }
  const answer = await fetch(app.origin + path, { headers: { ...jar.headers, cookie: jar.cookieHeader } });
  return answer.status;
};

const PASSKEY_CALLS = ['/api/passkeys/add', '/api/passkeys/prove'];

describe('a neighbor without a session', () => {
  test('uses up nothing that the owner of a session may call', async () => {
    const routes = (await readRoutes()).filter(({ path }) => !path.startsWith('/api/actions'));
    expect(routes.length).toBeGreaterThan(25);
    await useUp(...new Set(routes.map(({ limit }) => limit)));
    routes.sort((a, b) => Number(a.path === LAST) - Number(b.path === LAST));
    const refused: string[] = [];
    const counted: string[] = [];
    for (const { path, method } of routes) {
      // These bodies come from an authenticator. Their limit is the limit of the other calls about passkeys.
      if (PASSKEY_CALLS.includes(path)) continue;
      const status = await send(await signedIn(), path, method);
      if (status === 429) refused.push(path);
      if ((await send(browserAt(school), path, method)) !== 429) counted.push(path);
    }
    expect(refused).toEqual([]);
    expect(counted).toEqual([]);
  });

  test('uses up nothing that a link may undo', async () => {
    await useUp('undo-by-link', 'try-code', 'open-link');
    for (const [path, seal] of Object.entries(LINKS)) {
      const jar = browserAt(school);
      expect(await send(jar, path, 'POST')).toBe(429);
      expect(await send(jar, path, 'POST', { code: await seal() })).not.toBe(429);
    }
  });

  test('does not keep others from a sign-in by an organization', async () => {
    const jar = browserAt(school);
    const statuses = new Set<number>();
    for (let i = 0; i < 300; i += 1)
      statuses.add(
        (await jar.post(`${app.origin}/api/enterprise/lookup`, { email: `a${String(i)}@nowhere.test` })).status,
      );
    expect([...statuses]).toEqual([422]);
    expect((await jar.post(`${app.origin}/api/enterprise/lookup`, { email: 'erin@acme.test' })).status).toBe(200);
  });
});

describe('cookies', () => {
  test.each(['/api/initiate-logout', '/api/clear-device'])('leave the browser beyond any limit: %s', async (path) => {
    await useUp('end-session');
    const answer = await browserAt(school).post(app.origin + path);
    expect(answer.status).toBe(429);
    expect(answer.cookies[SESSION]).toMatchObject({ value: '', maxAge: 0 });
    expect(answer.cookies.kk_logged_in?.value).toBe('0');
  });

  test('stay where the call is of a foreign page', async () => {
    const jar = browserAt(school);
    jar.headers.origin = 'https://evil.test';
    expect((await jar.post(`${app.origin}/api/clear-device`)).cookies).toEqual({});
  });
});

describe('what counts by client address', () => {
  const flood = async (jar: CookieJar) => {
    await useUp('end-session');
    return send(jar, '/api/account/end-sessions', 'POST');
  };

  test('a copied cookie, with and without a device of its own', async () => {
    const owner = await signedIn();
    const thief = browserAt(school);
    thief.cookies[SESSION] = owner.cookies[SESSION] ?? '';
    expect(await flood(thief)).toBe(429);
    thief.cookies.device = 'A'.repeat(43);
    expect(await flood(thief)).toBe(429);
    expect(await send(owner, '/api/account/end-sessions', 'POST')).not.toBe(429);
  });

  test('a forged cookie', async () => {
    const owner = await signedIn();
    const forger = browserAt(school);
    const [head = '', claims = ''] = (owner.cookies[SESSION] ?? '').split('.');
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const cookie of [
      'x',
      'a.b.c',
      `${head}.${part({ sub: app.user.uid })}.`,
      `${part({ alg: 'RS256' })}.${claims}.x`,
    ]) {
      forger.cookies[SESSION] = cookie;
      expect(await flood(forger)).toBe(429);
    }
  });

  test('a session that was signed out', async () => {
    const jar = await signedIn();
    const before = jar.copy();
    await jar.post(`${app.origin}/api/initiate-logout`);
    expect(await flood(before)).toBe(429);
  });
});

describe('a session', () => {
  const callUntilRefused = async (jar: CookieJar) => {
    for (let count = 0; count <= LIMITS['calls-of-session'].points; count += 1)
      if ((await send(jar, '/api/account/keep', 'POST')) === 429) return count;
    return null;
  };

  test('has a limit of its own, which other sessions of the account do not share', async () => {
    const [laptop, phone] = [await signedIn(), await signedIn()];
    await nextSecond();
    // A renewal counts, and gives the session no new limit.
    expect(await send(laptop, '/api/account/keep', 'POST')).toBe(200);
    expect((await app.renew(laptop)).status).toBe(200);
    expect(await callUntilRefused(laptop)).toBe(LIMITS['calls-of-session'].points - 2);
    expect(await send(phone, '/api/account/keep', 'POST')).toBe(200);
    // Neighbors without a session are not limited either.
    expect(await send(browserAt(school), '/api/account/keep', 'POST')).toBe(401);
  });
});
