// Threats: provider-domains
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { startOtherApp } from '../../../scripts/lib/stack.mjs';

const { at, browser, freshEmail, accounts, endpoints, signInWithIdp } = attackTools();

async function fetchToken(provider: string, email: string): Promise<string> {
  return String((await signInWithIdp(provider, { sub: email, email, email_verified: true })).body.idToken);
}

test('a provider that is not in the directory is not authorized for any account', async () => {
  const victim = await accounts.create();
  const token = await fetchToken('oidc.deleted-partner', victim.email);
  const answer = await browser().post(at('/api/create-user-session'), { token });
  expect([answer.status, answer.body?.code]).toEqual([403, 'provider-not-allowed']);
  expect(answer.cookies).toEqual({});
});

test('a social provider that the origin has not enabled gets no session', async () => {
  // This app enables only password, Google and Apple.
  const app = await startOtherApp(endpoints, { TRUSTED_PROXY_HOPS: '1' });
  const learner = browser();
  Object.assign(learner.headers, { origin: app.endpoints.appOrigin, 'x-forwarded-host': 'north.localhost' });
  const call = (token: string) => learner.post(`${app.endpoints.appOrigin}/api/create-user-session`, { token });
  const github = await call(await fetchToken('github.com', freshEmail()));
  const google = await call(await fetchToken('google.com', freshEmail()));
  await app.stop();
  expect([github.status, github.body?.code]).toEqual([403, 'provider-not-allowed']);
  expect(google.status).toBe(200);
});

test('a file without a valid version refuses the start, and an invalid entry keeps its last valid version', async () => {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'directory-')), 'directory.json');
  let version = 1;
  const write = (text: string) => {
    writeFileSync(file, text);
    utimesSync(file, version, (version += 1));
  };
  const withPartner = (partner: object) =>
    JSON.stringify({ partners: { acme: { name: 'Acme', provider: 'oidc.acme', ...partner } } });
  write('{ not json');
  await expect(startOtherApp(endpoints, { DIRECTORY_FILE: file })).rejects.toThrow(/DIRECTORY_FILE.* is not JSON/);
  write(withPartner({ emailDomains: ['own.test'] }));
  const app = await startOtherApp(endpoints, { DIRECTORY_FILE: file });
  const create = async (email: string) => {
    const learner = browser();
    learner.headers.origin = app.endpoints.appOrigin;
    const token = await fetchToken('oidc.acme', email);
    return (await learner.post(`${app.endpoints.appOrigin}/api/create-user-session`, { token })).status;
  };
  const statuses = [await create(freshEmail('own.test')), await create(freshEmail('victim.test'))];
  // This is a typo: a string instead of a list.
  write(withPartner({ emailDomains: 'own.test' }));
  statuses.push(await create(freshEmail('own.test')), await create(freshEmail('victim.test')));
  await app.stop();
  expect(statuses).toEqual([200, 422, 200, 422]);
});
