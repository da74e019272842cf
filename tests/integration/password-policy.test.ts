// Threats: stuffing, code-guessing
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession, post } from '../support/client';
import { codeIn } from '../support/mail';
import { setProviderHost } from '../support/provider';
import { fetchIdToken } from '../support/test-users';
import { NEW_PASSWORD, oobCodeIn, Recovery } from '../support/recovery';

const TOO_EASY = 'all-small-letters';
const message =
  'PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain a numeric character]';

const policy = { enforcementState: 'ENFORCE', customStrengthOptions: { containsNumericCharacter: true } };

/**
 * The emulator has no password policy. This server adds one, which is readable and enforced as the identity provider
 * documents.
 */
const emulator = process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '';
let compared: (() => Promise<unknown>) | undefined;
const withPolicy = createServer((req, res) => {
  void (async () => {
    const body = await buffer(req);
    const sent = body.toString();
    const isSignIn = req.url?.includes('signInWithPassword') ?? false;
    if (isSignIn && sent.includes(NEW_PASSWORD)) await compared?.();
    if (!isSignIn && /"(newP|p)assword":"all-small-letters"/.test(sent))
      return void res
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { code: 400, message } }));
    if (req.url?.startsWith('/identitytoolkit.googleapis.com/v2/passwordPolicy'))
      return void res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(policy));
    const headers = { 'content-type': 'application/json', authorization: req.headers.authorization ?? '' };
    const init = { method: req.method ?? 'GET', headers, ...(body.length > 0 && { body }) };
    const answer = await fetch(`http://${emulator}${req.url ?? '/'}`, init);
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  })();
});

const recovery = new Recovery();
beforeAll(async () => {
  await once(withPolicy.listen(0, '127.0.0.1'), 'listening');
  await setProviderHost(`127.0.0.1:${(withPolicy.address() as AddressInfo).port}`);
});
afterAll(() => void withPolicy.close());

const refused = { status: 400, body: expect.objectContaining({ code: 'password-weak' }) as unknown };

test('a password that the provider refuses is reported as weak, and consumes neither code nor link', async () => {
  await recovery.ask();
  const mail = await recovery.lastMail();
  expect(await recovery.reset(codeIn(mail), TOO_EASY)).toMatchObject(refused);
  expect(await recovery.resetByLink(oobCodeIn(mail), TOO_EASY)).toMatchObject(refused);
  expect((await recovery.reset(codeIn(mail), NEW_PASSWORD)).status).toBe(200);
});

test('a present password that the provider would refuse today is not told from another one', async () => {
  const { uid } = recovery.user;
  const url = `http://${emulator}/identitytoolkit.googleapis.com/v1/projects/demo-campus/accounts:update`;
  const headers = { 'content-type': 'application/json', authorization: 'Bearer owner' };
  const body = JSON.stringify({ localId: uid, password: TOO_EASY });
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
  await recovery.ask();
  const mail = await recovery.lastMail();
  expect(await recovery.reset(codeIn(mail), TOO_EASY)).toMatchObject(refused);
  expect(await recovery.resetByLink(oobCodeIn(mail), TOO_EASY)).toMatchObject(refused);
});

test('a link that is being redeemed compares no second password', async () => {
  await recovery.ask();
  const link = oobCodeIn(await recovery.lastMail());
  const provider = new EventEmitter();
  const reached = once(provider, 'reached');
  compared = () => {
    provider.emit('reached');
    return once(provider, 'answer');
  };
  const first = recovery.resetByLink(link);
  await reached;
  const second = await recovery.resetByLink(link, recovery.user.password);
  compared = undefined;
  provider.emit('answer');
  expect(second.body).toMatchObject({ code: 'action-code-invalid' });
  expect((await first).status).toBe(200);
});

test('the same holds at registration and in the settings', async () => {
  const values = { name: 'Mia Moreau', email: `policy-${Date.now()}@campus.test`, password: TOO_EASY };
  expect(await recovery.jar.post(`${recovery.app.origin}/api/registration`, values)).toMatchObject(refused);
  const cookie = await openSession(recovery.app.origin, await fetchIdToken(recovery.user));
  const body = { current: recovery.user.password, password: TOO_EASY };
  expect(await post(`${recovery.app.origin}/api/account/password`, { cookie, body })).toMatchObject(refused);
});
