import { expect } from '@playwright/test';
import { request } from 'node:http';
import { freshEmail, NEW_PASSWORD } from './account-journeys';
import { post, type Answer } from './client';
import type { FaultyServices, ServiceName } from './faulty-services';
import { codeIn, mailsTo } from './mail';

/** Delay of a slow service's response, in milliseconds (scripts/lib/gate.mjs). The app never waits that long. */
const LONGEST = 60_000;

async function call(origin: string, path: string, body?: unknown, cookie?: string): Promise<Answer> {
  const begin = performance.now();
  const answer = await post(origin + path, { body, cookie, headers: { origin } });
  expect(performance.now() - begin, path).toBeLessThan(LONGEST);
  return answer;
}

const SAYS = { provider: 'provider-unavailable', mail: 'mail-unavailable' };

/** Expects an error that says when to retry and sets no cookies. */
function expectRefusal(answer: Answer, code: string): void {
  expect(answer.body).toMatchObject({ status: 503, code, type: `urn:problem:${code}` });
  expect(answer.status).toBe(503);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(answer.cookies).toEqual({});
}

/** Requests a page with its own host name. */
function openPage(origin: string, path: string, host: string, cookie = ''): Promise<{ status: number; text: string }> {
  const { port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const asked = request({ port, path, headers: { host: `${host}:${port}`, cookie } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.once('error', reject).end();
  });
}

const registration = (email: string) => ({ name: 'Mia Moreau', email, password: NEW_PASSWORD });
let interrupted = '';
let origins = 0;
const freshHost = () => `f${String((origins += 1))}.localhost`;
const getConfig = (app: string) =>
  fetch(`${app}/api/config/by-origin/${encodeURIComponent(`http://${freshHost()}:3000`)}`);

/** Assertions while a service is faulty, and after its recovery. */
export type FaultCase = {
  during: (services: FaultyServices) => Promise<void>;
  after: (services: FaultyServices) => Promise<void>;
};

/** The app checks its services every few seconds. Until the next check it promises an email, which it sends later. */
async function waitForRefusals(app: string): Promise<void> {
  const ask = async () => (await call(app, '/api/sign-in-help', { email: freshEmail() })).status;
  await expect.poll(ask, { timeout: 2 * LONGEST, intervals: [500] }).toBe(503);
}

const canSignIn = async ({ accounts, app }: FaultyServices) => {
  const token = await accounts.idToken(await accounts.create());
  expect((await call(app, '/api/create-user-session', { token })).status).toBe(200);
};

export const CASES: Record<ServiceName, FaultCase> = {
  provider: {
    async during({ app, accounts, session }) {
      const [user, cookie, email] = [await accounts.create(), await session(), freshEmail()];
      const token = await accounts.idToken(user);
      await waitForRefusals(app);
      const answers = await Promise.all([
        call(app, '/api/create-user-session', { token }),
        call(app, '/api/check-auth-status', undefined, cookie),
        call(app, '/api/password-reset', { email: user.email }),
        call(app, '/api/registration', registration(email)),
      ]);
      for (const answer of answers) expectRefusal(answer, SAYS.provider);
      const page = await openPage(app, '/user/courses', 'localhost', `_secure-user-session=${await session()}`);
      expect(page.status).toBe(503);
      expect(page.text).toContain('nothing is lost');
      interrupted = email;
    },
    async after(services) {
      await canSignIn(services);
      // Whatever the outcome of the interrupted registration, the user can register again and receives the code.
      expect((await call(services.app, '/api/registration', registration(interrupted))).status).toBe(200);
      expect(codeIn((await mailsTo(services.shared, interrupted)).at(-1) ?? { text: '' })).toHaveLength(6);
    },
  },
  mail: {
    async during({ app, accounts }) {
      const [{ email: known }, email] = [await accounts.create(), freshEmail()];
      await waitForRefusals(app);
      const answers = await Promise.all([
        call(app, '/api/password-reset', { email: known }),
        call(app, '/api/sign-in-help', { email: freshEmail() }),
        call(app, '/api/registration', registration(email)),
      ]);
      for (const answer of answers) expectRefusal(answer, SAYS.mail);
      expect(await accounts.exists(email)).toBe(false);
    },
    async after({ app, accounts, shared }) {
      const { email } = await accounts.create();
      expect((await call(app, '/api/password-reset', { email })).status).toBe(200);
      expect(await mailsTo(shared, email)).toHaveLength(1);
    },
  },
  config: {
    async during({ app }) {
      const [answer, page] = await Promise.all([getConfig(app), openPage(app, '/sign-in', freshHost())]);
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ code: SAYS.provider });
      expect(page.status).toBe(200);
      expect(page.text).toContain('Sign in');
    },
    after: async ({ app }) => expect((await getConfig(app)).status).toBe(404),
  },
  upstream: {
    async during({ leaning, accounts, session }) {
      const [token, cookie] = [await accounts.idToken(await accounts.create()), await session()];
      expectRefusal(await call(leaning, '/api/create-user-session', { token }), SAYS.provider);
      expectRefusal(await call(leaning, '/api/check-auth-status', undefined, cookie), SAYS.provider);
    },
    after: async ({ leaning, accounts }) => {
      const token = await accounts.idToken(await accounts.create());
      expect((await call(leaning, '/api/create-user-session', { token })).status).toBe(200);
    },
  },
  redis: {
    async during(services) {
      const { app, accounts, session } = services;
      const cookie = await session();
      const begin = performance.now();
      await canSignIn(services);
      expect((await call(app, '/api/check-auth-status', undefined, cookie)).status).toBe(200);
      expect((await call(app, '/api/initiate-logout', undefined, cookie)).status).toBe(200);
      expect((await call(app, '/api/check-auth-status', undefined, cookie)).status).toBe(401);
      const { email } = await accounts.create();
      expect((await call(app, '/api/password-reset', { email })).status).toBe(200);
      expect(performance.now() - begin).toBeLessThan(LONGEST);
    },
    async after({ app }) {
      const ready = async () => ((await (await fetch(`${app}/api/health/ready`)).json()) as { redis: string }).redis;
      await expect.poll(ready).toBe('up');
    },
  },
  errors: {
    async during(services) {
      const { app, gates } = services;
      // Causes an error report that the service does not accept.
      await gates.config.setMode('refused');
      expect((await getConfig(app)).status).toBe(503);
      await gates.config.setMode('healthy');
      const envelope = `{"dsn":"http://key@${gates.errors.url}/42"}\n{"type":"event"}\n{"message":"m"}`;
      const tunnel = await fetch(`${app}/monitoring`, { method: 'POST', body: envelope, headers: { origin: app } });
      expect([200, 503]).toContain(tunnel.status);
      await canSignIn(services);
    },
    after: canSignIn,
  },
  platform: {
    async during({ app, session }) {
      const headers = { cookie: `_secure-user-session=${await session()}` };
      const answer = await fetch(`${app}/api/user/courses`, { headers });
      expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ code: SAYS.provider })]);
    },
    async after({ app, session }) {
      const headers = { cookie: `_secure-user-session=${await session()}` };
      expect((await fetch(`${app}/api/user/courses`, { headers })).status).toBe(200);
    },
  },
};
