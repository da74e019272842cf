import http from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openSession, post } from './client';
import { startExampleSite, startObservedApp, type ExampleSite } from './example-sites';
import { servedRoutes } from './served-routes';
import { createTestUser, fetchIdToken } from './test-users';

type Observed = Awaited<ReturnType<typeof startObservedApp>>;
type Site = Awaited<ReturnType<typeof startExampleSite>>;

const NAME = '_secure-user-session';

/** Tests that every example of a platform's site must pass. */
export function testExampleSites(sites: ExampleSite[]): void {
  const app = servedRoutes();
  async function signIn() {
    const user = await createTestUser();
    return { user, session: await openSession(app.origin, await fetchIdToken(user)) };
  }

  describe.each(sites)('examples/$folder', (example) => {
    if (example.missing !== null) {
      console.log(`examples/${example.folder} is not tested: ${example.missing}`);
      test.skip(`runs (${example.missing})`, () => undefined);
      return;
    }
    let observed: Observed;
    let site: Site;
    beforeAll(async () => {
      observed = await startObservedApp(app.origin);
      site = await startExampleSite(example, observed.origin);
      // The first check loads the code of the call, but sites wait for only half a second.
      await post(`${app.origin}/api/check-auth-status`);
    }, 240_000);
    afterEach(() => observed.fail('none'));
    afterAll(async () => {
      await site.stop();
      await observed.stop();
    });

    const open = (path: string, headers: Record<string, string> = {}) =>
      fetch(site.origin + path, { headers, redirect: 'manual' });

    /** Returns the cookies of a browser whose session has ended. */
    const signOut = async () => {
      const { session } = await signIn();
      await post(`${app.origin}/api/initiate-logout`, { cookie: session });
      return { cookie: `${NAME}=${session}` };
    };
    const NAVIGATION = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

    test('a form that was sent is not redirected, so that what it contains can be sent again', async () => {
      const signedOut = await signOut();
      for (const headers of [{}, signedOut]) {
        const sent = { ...headers, ...NAVIGATION, 'content-type': 'application/x-www-form-urlencoded' };
        const answer = await send(`${site.origin}/dashboard`, { headers: sent, method: 'POST', body: 'essay=long' });
        expect([answer.status, answer.location]).toEqual([401, '']);
        expect(answer.body).toContain('reload this page');
        expect(answer.body).toContain(`${observed.origin}/sign-in?redirect_uri=`);
      }
    });

    test.each<[string, Record<string, string>]>([
      ['fetch', { 'sec-fetch-mode': 'cors', accept: '*/*' }],
      ['fetch of its own page', { 'sec-fetch-mode': 'same-origin', accept: 'text/html' }],
      ['a browser without fetch metadata', { accept: 'application/json' }],
    ])('a script by %s gets 401 instead of a redirect to another origin', async (_name, headers) => {
      const signedOut = await signOut();
      for (const method of ['GET', 'POST', 'PUT']) {
        const answer = await send(`${site.origin}/dashboard`, { method, headers: { ...signedOut, ...headers } });
        expect([method, answer.status, answer.location]).toEqual([method, 401, '']);
        expect(JSON.parse(answer.body)).toEqual({
          error: 'signed-out',
          signInUrl: expect.stringContaining(`${observed.origin}/sign-in?redirect_uri=`) as unknown,
        });
      }
    });

    test.runIf(['php', 'django'].includes(example.folder))(
      'without the origin of the sign-in app, no visitor is redirected to the site itself',
      async () => {
        const broken = await startExampleSite(example, '');
        for (const headers of [{}, { cookie: `${NAME}=x` }] as Record<string, string>[]) {
          const answer = await send(`${broken.origin}/dashboard`, { headers });
          expect([answer.status, answer.location]).toEqual([500, '']);
        }
        await broken.stop();
      },
    );

    test('a visitor is redirected to sign-in, with a redirect_uri from the configuration', async () => {
      const address = new URL('/sign-in', observed.origin);
      address.searchParams.set('redirect_uri', `${site.ownOrigin}/dashboard?tab=a%26b`);
      for (const headers of [{}, { cookie: `${NAME}=; theme=dark` }] as Record<string, string>[]) {
        const before = observed.seen.length;
        const { status, location } = await send(`${site.origin}/dashboard?tab=a%26b`, {
          headers: { host: 'evil.example', ...headers },
        });
        expect(status).toBe(303);
        expect(new URL(location).href).toBe(address.href);
        expect(observed.seen.slice(before)).toEqual([]);
      }
    });

    test('a learner is served, and only the session cookie is forwarded', async () => {
      const { user, session } = await signIn();
      const before = observed.seen.length;
      // One of the sites passes the learner on in `x-learner`. The site must ignore this header from a visitor.
      const response = await open('/dashboard', {
        cookie: `secret=1; ${NAME}=${session}; my${NAME}=2; kk_uid=x`,
        'x-learner': encodeURIComponent('{"email":"another@campus.test"}'),
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toMatch(/no-store/);
      const page = await response.text();
      expect(page).toContain(user.email);
      expect(page).not.toContain('another@campus.test');
      expect(observed.seen.slice(before)).toEqual([{ url: '/api/check-auth-status', cookie: `${NAME}=${session}` }]);
    });

    test.runIf(example.caches)('many requests of a learner are few checks, and never those of another', async () => {
      const foreign: string[] = [];
      const countChecks = async () => {
        const [lena, omar] = [await signIn(), await signIn()];
        const before = observed.seen.length;
        for (const { user, session } of [lena, omar, lena, omar]) {
          const page = await (await open('/dashboard', { cookie: `${NAME}=${session}` })).text();
          if (!page.includes(user.email)) foreign.push(page);
        }
        return observed.seen.length - before;
      };
      // Polled, because a busy machine can need longer than checks are kept.
      await expect.poll(countChecks, { timeout: 60_000 }).toBe(2);
      expect(foreign).toEqual([]);
    });

    test.runIf(example.caches && example.folder !== 'nextjs')('a change asks the sign-in app each time', async () => {
      const { session } = await signIn();
      const before = observed.seen.length;
      for (const path of ['/dashboard', '/change', '/change'])
        expect((await open(path, { cookie: `${NAME}=${session}` })).status).toBe(200);
      expect(observed.seen.length - before).toBe(3);
    });

    test('a session is not kept beyond its end', async () => {
      const { session } = await signIn();
      observed.fail('expired');
      const before = observed.seen.length;
      for (let i = 0; i < 2; i++) await open('/dashboard', { cookie: `${NAME}=${session}` });
      expect(observed.seen.length - before).toBe(2);
    });

    test('a session that has ended is signed out', async () => {
      const { location } = await send(`${site.origin}/dashboard`, { headers: { ...(await signOut()), ...NAVIGATION } });
      expect(location).toContain('/sign-in?redirect_uri=');
    });

    // Here 200 comes from a proxy, without a learner.
    test.each(['hangs', 'breaks', 500, 503, 429, 404, 302, 200] as const)(
      'while the sign-in app responds with "%s", the page offers a retry, and nothing is remembered',
      async (fault) => {
        const { session } = await signIn();
        const cookie = `${NAME}=${session}`;
        observed.fail(fault);
        const response = await open('/dashboard', { cookie });
        expect(response.status).toBe(503);
        expect(response.headers.get('location')).toBeNull();
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(await response.text()).toContain('Try again');
        observed.fail('none');
        // The site's server can still be busy with the previous request.
        await expect.poll(async () => (await open('/dashboard', { cookie })).status).toBe(200);
      },
    );
  });
}

type Sent = { method?: string; headers?: Record<string, string>; body?: string };

/**
 * Sends a request as a browser navigates. `fetch` cannot, because it sets its own mode and cannot name another host.
 */
function send(address: string, { method = 'GET', headers = {}, body }: Sent) {
  return new Promise<{ status: number | undefined; location: string; body: string }>((resolve, reject) => {
    const req = http.request(address, { method, headers }, (res) => {
      text(res).then(
        (received) => resolve({ status: res.statusCode, location: res.headers.location ?? '', body: received }),
        reject,
      );
    });
    req.on('error', reject);
    req.end(body);
  });
}
