// Threats: email-budget
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import type { TestUser } from '../../support/accounts-client';
import { CookieJar } from '../../support/client';
import { mailsBesidesAlerts } from '../../support/mail';
import { startOtherApp } from '../../../scripts/lib/stack.mjs';

const { freshEmail, endpoints, accounts, mails } = attackTools();
let app: Awaited<ReturnType<typeof startOtherApp>>;
beforeAll(async () => {
  // This app is behind one proxy, which sets the client's IP address.
  app = await startOtherApp(endpoints, { TRUSTED_PROXY_HOPS: '1' });
});
afterAll(() => app.stop());

const HOME = '192.0.2.1';
const at = (path: string) => app.endpoints.appOrigin + path;
const browserIn = (network: string) => new CookieJar({ origin: app.endpoints.appOrigin, 'x-forwarded-for': network });
const askForReset = (by: CookieJar, { email }: TestUser) => by.post(at('/api/password-reset'), { email });

/** An attacker exceeds the rate limit with a new browser for each request. @returns the number of sent emails */
async function spend(victim: TestUser, network: string): Promise<number> {
  const asks = Array.from({ length: 8 }, () => askForReset(browserIn(network), victim));
  const statuses = (await Promise.all(asks)).map(({ status }) => status);
  expect(statuses).toContain(429);
  return statuses.filter((status) => status === 200).length;
}

/**
 * An attacker in several networks, including the owner's, uses up the rate limit of unknown browsers.
 * @returns the number of sent emails
 */
async function spendAll(victim: TestUser): Promise<number> {
  let sent = 0;
  for (const network of ['203.0.113.1', '203.0.113.2', HOME, '203.0.113.3']) sent += await spend(victim, network);
  return sent;
}

test('an attacker in one network does not block the reset of the owner in another', async () => {
  const victim = await accounts.create();
  const sent = await spend(victim, '203.0.113.1');
  expect(sent).toBe(5);
  expect((await askForReset(browserIn(HOME), victim)).status).toBe(200);
  expect(await mails(victim.email, sent + 1)).toHaveLength(sent + 1);
});

test('a browser in which the owner has signed in gets its reset, even in the network of the attackers', async () => {
  const victim = await accounts.create();
  const own = browserIn(HOME);
  expect((await own.post(at('/api/create-user-session'), { token: await accounts.idToken(victim) })).status).toBe(200);
  expect(await spendAll(victim)).toBe(15);
  expect((await askForReset(own, victim)).status).toBe(200);
  expect(await mailsBesidesAlerts(endpoints, victim.email, 16)).toHaveLength(16);
});

test('a browser with the open token of its reset gets another email', async () => {
  const victim = await accounts.create();
  const own = browserIn(HOME);
  expect((await askForReset(own, victim)).status).toBe(200);
  expect(await spendAll(victim)).toBe(14);
  expect((await askForReset(browserIn(HOME), victim)).status).toBe(429);
  expect((await askForReset(own, victim)).status).toBe(200);
  expect(await mailsBesidesAlerts(endpoints, victim.email, 16)).toHaveLength(16);
});

test('requests of attackers for one purpose do not count for the others', async () => {
  const victim = await accounts.create();
  await spendAll(victim);
  expect((await browserIn(HOME).post(at('/api/email-link'), { email: victim.email })).status).toBe(200);
});

test('an attacker’s own open token gives four more emails, and no more', async () => {
  const victim = await accounts.create();
  const stranger = browserIn('203.0.113.1');
  const statuses = [];
  for (let count = 0; count < 6; count += 1) statuses.push((await askForReset(stranger, victim)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
});

test('neither an invalid cookie nor that of another user counts as the owner’s browser', async () => {
  const [victim, stranger] = [await accounts.create(), await accounts.create()];
  const attacker = browserIn(HOME);
  await attacker.post(at('/api/create-user-session'), { token: await accounts.idToken(stranger) });
  expect(attacker.cookies['known-browser']).toBeDefined();
  // An open flow's token for another email address does not help either.
  expect((await askForReset(attacker, stranger)).status).toBe(200);
  await spendAll(victim);
  expect((await askForReset(attacker, victim)).status).toBe(429);
  attacker.cookies['known-browser'] = `${attacker.cookies['known-browser'] ?? ''}A`;
  expect((await askForReset(attacker, victim)).status).toBe(429);
});

/** An attacker sends a request for each email in turn. @returns the status of each response */
async function askInTurn(path: string, emails: readonly string[], network: (index: number) => string) {
  const statuses = [];
  for (const [index, email] of emails.entries())
    statuses.push((await browserIn(network(index)).post(at(path), { email })).status);
  return statuses;
}

describe.each(['/api/password-reset', '/api/email-link', '/api/sign-in-help'])('%s', (path) => {
  const fivePass = [200, 200, 200, 200, 200, 429, 429];
  const tagged = (email: string) => Array.from({ length: 7 }, (_, tag) => email.replace('@', `+${String(tag)}@`));

  test('counts plus addresses as one mailbox, with or without an account', async () => {
    const { email: known } = await accounts.create();
    const aliases = tagged(known);
    // One of the aliases has a separate account, which must not be detectable either.
    await accounts.create({ email: aliases[3] ?? '' });
    for (const asked of [aliases, tagged(freshEmail())])
      expect(await askInTurn(path, asked, () => '203.0.113.7')).toEqual(fivePass);
    expect((await browserIn('203.0.113.7').post(at(path), { email: known.toUpperCase() })).status).toBe(429);
    expect((await browserIn(HOME).post(at(path), { email: known })).status).toBe(200);
  });

  test('counts all networks of an IPv6 site as one', async () => {
    const { email } = await accounts.create();
    const site = (index: number) => `2001:db8:77:${index.toString(16)}::1`;
    expect(await askInTurn(path, Array<string>(7).fill(email), site)).toEqual(fivePass);
    expect((await browserIn('2001:db8:78::1').post(at(path), { email })).status).toBe(200);
  });
});

test('a stolen cookie gets five emails an hour, and uses no budget of other clients', async () => {
  const victim = await accounts.create();
  const own = browserIn(HOME);
  const signIn = async (by: CookieJar) =>
    by.post(at('/api/create-user-session'), { token: await accounts.idToken(victim) });
  await signIn(own);
  const other = browserIn(HOME);
  await signIn(other);
  const statuses = [];
  for (let count = 0; count < 6; count += 1) {
    const thief = browserIn(`203.0.113.${String(count)}`);
    thief.cookies['known-browser'] = own.cookies['known-browser'] ?? '';
    statuses.push((await askForReset(thief, victim)).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect((await askForReset(other, victim)).status).toBe(200);
  expect((await askForReset(browserIn(HOME), victim)).status).toBe(200);
});
