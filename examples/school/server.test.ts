import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts } from '../../scripts/lib/ports.mjs';
import type { Service } from '../../scripts/lib/processes.mjs';
import { startSchool } from '../../scripts/lib/services.mjs';
import { listen } from '../../tests/support/listen';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

let provider: Awaited<ReturnType<typeof listen>>;
let school: Service;
let port = 0;
let nonce = '';
beforeAll(async () => {
  provider = await listen((req, res) => {
    const issuer = `http://127.0.0.1:${provider.port}/api/oidc`;
    const [iat, exp] = [Math.floor(Date.now() / 1000), Math.floor(Date.now() / 1000) + 600];
    const claims = { iss: issuer, aud: 'school', sub: 'p3x', name: 'Lena', nonce, iat, exp };
    // The school has it from the provider itself, and does not look at the signature.
    const idToken = `${encode({ alg: 'RS256' })}.${encode(claims)}.${encode('unsigned')}`;
    const answer = req.url?.endsWith('/token')
      ? { access_token: 'a', token_type: 'bearer', id_token: idToken }
      : { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
    res.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  [port = 0] = await freePorts(1);
  process.env.SCHOOL_SESSION_SECONDS = '1';
  const dir = mkdtempSync(path.join(os.tmpdir(), 'school-'));
  school = await startSchool({ port, identityOrigin: `http://127.0.0.1:${provider.port}`, secret: 'secret', dir });
}, 240_000);
afterAll(async () => {
  await school.stop();
  await provider.stop();
});

const open = (page: string, cookie = '') =>
  fetch(`http://127.0.0.1:${port}${page}`, { headers: { cookie }, redirect: 'manual' });
const getCookie = (response: Response) => response.headers.getSetCookie()[0]?.split(';')[0];

it('a session ends by itself, and the sign-in app is asked again', async () => {
  const begun = await open('/sign-in');
  const { searchParams } = new URL(begun.headers.get('location') ?? '');
  nonce = searchParams.get('nonce') ?? '';
  const callback = `/callback?code=c&state=${searchParams.get('state') ?? ''}`;
  expect((await open(callback)).headers.get('location')).toBe('/?problem=expired');
  const back = await open(callback, getCookie(begun));
  expect(back.headers.get('location')).toBe('/');
  const getNext = async () => (await open('/', getCookie(back))).headers.get('location') ?? '';
  await expect.poll(getNext).toContain('prompt=none');
});

it('a logout token that is too long is refused', async () => {
  const body = new URLSearchParams({ logout_token: 'a'.repeat(64 * 1024 - 'logout_token'.length) });
  expect((await fetch(`http://127.0.0.1:${port}/backchannel-logout`, { method: 'POST', body })).status).toBe(413);
});
