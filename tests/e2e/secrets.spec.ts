import { expect } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { peopleAt } from '../support/accounts';
import { submitSignIn } from '../support/journeys';
import { agree, eventsOf, failOnPage, test, watchLibraries } from '../support/services';

test.describe.configure({ mode: 'serial', timeout: 120_000 });

const PLANTED = {
  wrongPassword: 'planted-wrong-password',
  email: 'planted@address.test',
  token: 'planted-token-in-address',
  oobCode: 'planted-oob-code',
  fragment: 'planted-fragment',
  cookie: 'planted-cookie',
};

const plantedQuery = () => {
  const callback = `http://localhost:1/x?email=${PLANTED.email}&token=${PLANTED.token}#${PLANTED.fragment}`;
  return new URLSearchParams({ redirect_uri: callback, oobCode: PLANTED.oobCode, email: PLANTED.email }).toString();
};

test('of all that is recorded and logged, nothing is a secret', async ({ context, page, services }) => {
  const { analytics, errors, stack } = services;
  const { appOrigin, platformOrigin } = stack.places;
  const person = await peopleAt(stack.places).create();
  const secrets = new Set<string>([...Object.values(PLANTED), person.password]);
  await agree(context, services);
  await context.addCookies([{ name: 'planted', value: PLANTED.cookie, url: appOrigin }]);
  page.on('request', (request) => keepTokens(request.url(), request.postData(), secrets));

  await page.goto(`${appOrigin}/sign-in?utm_source=mail&${plantedQuery()}#${PLANTED.fragment}`);
  await expect.poll(() => errors.items.get('replay_recording') ?? 0, { timeout: 20_000 }).toBeGreaterThan(0);
  await submitSignIn(page, { ...person, password: PLANTED.wrongPassword });
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  await failOnPage(page, `no answer from /api?token=${PLANTED.token} for ${PLANTED.email}`);
  const { loaded } = watchLibraries(page);
  await page.goto(`${appOrigin}/user/courses?oobCode=${PLANTED.oobCode}`);
  await expect.poll(() => loaded, { timeout: 20_000 }).toContain('analytics');
  await submitSignIn(page, person);
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await expect.poll(() => eventsOf(services, 'Page View').length, { timeout: 20_000 }).toBeGreaterThan(0);
  for (const { value } of await context.cookies(appOrigin)) if (value.length > 40) secrets.add(value);

  await page.goto(
    `${appOrigin}/user/courses?course=x&code=${PLANTED.oobCode}&email=${PLANTED.email}#${PLANTED.fragment}`,
  );
  await failOnPage(page, `cannot read /user/courses?email=${PLANTED.email} with cookie: planted=${PLANTED.cookie}`);
  await expect.poll(() => eventsOf(services, 'Page View').length, { timeout: 20_000 }).toBeGreaterThan(1);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await expect.poll(() => eventsOf(services, 'signOut').length).toBe(1);
  await page.goto(`${platformOrigin}/`);

  // It all arrived, so there was something to look through.
  await expect.poll(() => errors.errors.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
  for (const type of ['event', 'transaction', 'replay_event', 'replay_recording'])
    expect([...errors.items.keys()]).toContain(type);
  expect(eventsOf(services, 'signIn')[0]?.properties).toMatchObject({
    provider: 'credentials',
    distinct_id: person.email,
  });

  const log = readFileSync(stack.appLog, 'utf8');
  expect(log).toContain('loading courses');
  const everything = [...analytics.arrived, ...errors.arrived, log].map(unescaped).join('\n');
  for (const secret of secrets) expect(excerpt(everything, secret)).toBeNull();
  // Errors and logs know no learner by their address; analytics does, and only there.
  expect(excerpt([...errors.arrived, log].map(unescaped).join('\n'), person.email)).toBeNull();
});

/** Tokens of the identity provider are secrets that the test learns on the way. */
function keepTokens(url: string, body: string | null, secrets: Set<string>): void {
  if (!/create-user-session/.test(url) || body === null) return;
  const { token } = JSON.parse(body) as { token?: string };
  if (token) secrets.add(token);
}

/** However often it was encoded on the way. */
function unescaped(text: string): string {
  const decoded = text.replace(/(?:%(?:25)*[0-9A-Fa-f]{2})+/g, (code) => {
    try {
      return decodeURIComponent(code.replace(/%(?:25)+/g, '%'));
    } catch {
      return code;
    }
  });
  return `${text}\n${decoded}`;
}

/** Where a secret stands, to see what let it through; null when it is nowhere. */
function excerpt(text: string, secret: string): string | null {
  const at = text.indexOf(secret);
  return at === -1 ? null : text.slice(Math.max(0, at - 300), at + secret.length + 40);
}
