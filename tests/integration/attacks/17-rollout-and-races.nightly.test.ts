// Threats: enumeration, legacy-bypass, stale-lookup
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { codeIn } from '../../support/mail';
import { startOtherApp } from '../../../scripts/lib/stack.mjs';
import { nextSecond } from '../../support/client';

const { browser, freshEmail, mails, accounts, endpoints, provider } = attackTools();

/** Starts another app with a browser on its pages. */
async function startApp(variables: Record<string, string>) {
  const app = await startOtherApp(endpoints, variables);
  const origin = app.endpoints.appOrigin;
  const learner = browser();
  learner.headers.origin = origin;
  return { learner, at: (path: string) => origin + path, stop: app.stop };
}

/** Puts the emulator behind a server that can respond in its place or delay a response. */
async function startProvider(
  intercept: (req: IncomingMessage, sent: string, res: ServerResponse) => boolean,
  beforeAnswer: (path: string) => Promise<void> = () => Promise.resolve(),
) {
  const server = createServer((req, res) => {
    void (async () => {
      const body = await buffer(req);
      if (intercept(req, body.toString(), res)) return;
      const headers = {
        'content-type': req.headers['content-type'] ?? 'application/json',
        authorization: req.headers.authorization ?? '',
      };
      const init = { method: req.method ?? 'GET', headers, ...(body.length > 0 && { body }) };
      const answer = await fetch(`http://${endpoints.emulatorHost}${req.url ?? '/'}`, init);
      const text = await answer.text();
      await beforeAnswer(req.url ?? '');
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    })().catch(() => res.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}

test('a legacy account with an unverified email does not bypass the rollout mode with a code', async () => {
  const app = await startApp({ NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin' });
  const user = await accounts.create({ emailVerified: false });
  await accounts.markLegacy(user);
  await app.learner.post(app.at('/api/email-confirmation'), { token: await accounts.idToken(user) });
  const code = codeIn((await mails(user.email)).at(-1) ?? { text: '' });
  const { body } = await app.learner.post(app.at('/api/registration/confirm'), { code });
  const exchanged = await provider('accounts:signInWithCustomToken', {
    token: body?.customToken,
    returnSecureToken: true,
  });
  const answer = await app.learner.post(app.at('/api/create-user-session'), { token: exchanged.body.idToken });
  await app.stop();
  expect([answer.status, answer.body?.code]).toEqual([403, 'legacy-reset-required']);
});

test('a password that the provider refuses gets the same response for taken and free emails', async () => {
  const TOO_EASY = 'all-small-letters';
  const refusal = {
    error: { code: 400, message: 'PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements' },
  };
  const policy = { enforcementState: 'ENFORCE', customStrengthOptions: { containsNumericCharacter: true } };
  const strict = await startProvider((req, sent, res) => {
    const isPolicy = req.url?.includes('/v2/passwordPolicy') === true;
    if (!isPolicy && !sent.includes(`"password":"${TOO_EASY}"`)) return false;
    res
      .writeHead(isPolicy ? 200 : 400, { 'content-type': 'application/json' })
      .end(JSON.stringify(isPolicy ? policy : refusal));
    return true;
  });
  const app = await startApp({ FIREBASE_AUTH_EMULATOR_HOST: strict.host });
  const taken = await accounts.create();
  const register = (email: string) =>
    app.learner.post(app.at('/api/registration'), { name: 'Mia Moreau', email, password: TOO_EASY });
  const answers = [await register(taken.email), await register(freshEmail())];
  await app.stop();
  strict.stop();
  expect(answers.map(({ status, body }) => [status, body?.code])).toEqual([
    [400, 'password-weak'],
    [400, 'password-weak'],
  ]);
});

test('a lookup that started before a revocation does not keep the session alive', async () => {
  let lookups: 'pass' | 'pass-one' | 'hold' = 'pass';
  const signals = { held: () => {}, release: () => {} };
  const isHeld = new Promise<void>((resolve) => (signals.held = resolve));
  const isReleased = new Promise<void>((resolve) => (signals.release = resolve));
  const slow = await startProvider(
    () => false,
    async (path) => {
      if (!path.includes('accounts:lookup') || lookups === 'pass') return;
      // With the emulator, verifying the cookie takes a separate lookup, before the lookup of the account.
      if (lookups === 'pass-one') return void (lookups = 'hold');
      lookups = 'pass';
      signals.held();
      await isReleased;
    },
  );
  const app = await startApp({ FIREBASE_AUTH_EMULATOR_HOST: slow.host });
  const user = await accounts.create();
  const elsewhere = app.learner.copy();
  await elsewhere.post(app.at('/api/create-user-session'), { token: await accounts.idToken(user) });
  await nextSecond();
  await app.learner.post(app.at('/api/create-user-session'), { token: await accounts.idToken(user) });

  lookups = 'pass-one';
  const checked = elsewhere.post(app.at('/api/check-auth-status'));
  await isHeld;
  await nextSecond();
  expect((await app.learner.post(app.at('/api/account/sign-out-everywhere'))).status).toBe(200);
  signals.release();
  expect((await checked).status).toBe(401);
  expect((await elsewhere.post(app.at('/api/check-auth-status'))).status).toBe(401);
  await app.stop();
  slow.stop();
});
