import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, inject, test, vi } from 'vitest';
import { attackTools } from '../../support/attack';

const { at } = attackTools();
const logText = () => readFileSync(inject('appLog'), 'utf8');

/** Parameter names that provider sign-ins and second factors use in URLs. */
const NAMES = ['SAMLResponse', 'RelayState', 'pendingToken', 'oauthAccessToken', 'oauthTokenSecret', 'otp', 'code'];

test.each(NAMES)('%s does not reach the log at any place in a URL', async (name) => {
  const secret = randomUUID();
  const json = encodeURIComponent(JSON.stringify({ [name]: secret, list: [secret] }));
  const paths = [
    `/api/${name}=${secret}`,
    `/api/x/${json}`,
    `/api/config/local/${name}=${secret}?${name}=${secret}`,
    `/api/registration/${encodeURIComponent(`?${name}=${secret}`)}`,
    `/__/auth/${name}=${secret}/..?${name}=${secret}&j=${json}`,
  ];
  const headers = { referer: `${at('/')}?${name}=${secret}`, cookie: `${name}=${secret}` };
  const answers = await Promise.all(paths.map((path) => fetch(at(path), { headers })));
  const ids = answers.map((answer) => answer.headers.get('x-request-id') ?? '');
  await vi.waitFor(() => expect(ids.filter((id) => !logText().includes(id))).toEqual([]));
  expect(logText()).not.toContain(secret);
});

test('arbitrary text of a CSP report does not reach the log', async () => {
  const secret = 'sesamisopened';
  for (const blocked of [`otp=${secret}`, `otp:${secret}`, `https://lena:${secret}@evil.test/${secret}`]) {
    const report = { 'csp-report': { 'effective-directive': 'script-src', 'blocked-uri': blocked } };
    const headers = { 'content-type': 'application/csp-report' };
    const answer = await fetch(at('/api/csp-report'), { method: 'POST', headers, body: JSON.stringify(report) });
    expect(answer.status).toBe(200);
  }
  await vi.waitFor(() => expect(logText()).toContain('"blocked":"evil.test"'));
  expect(logText()).not.toContain(secret);
});

test('email addresses in any writing system do not reach the log', async () => {
  const mark = randomUUID().slice(0, 8);
  const emails = [`lena-${mark}@bücher.example`, `δοκιμή${mark}@παράδειγμα.δοκιμή`, `lena-${mark}@xn--fsq.xn--0zwm56d`];
  const answers = await Promise.all(emails.map((email) => fetch(at(`/api/${encodeURIComponent(email)}`))));
  const ids = answers.map((answer) => answer.headers.get('x-request-id') ?? '');
  await vi.waitFor(() => expect(ids.filter((id) => !logText().includes(id))).toEqual([]));
  expect(logText()).not.toContain(mark);
});
