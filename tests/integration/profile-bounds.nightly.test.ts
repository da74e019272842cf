// Threats: hindered-browser, malicious-input
import { describe, expect, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { PROFILE_MAX } from '@/lib/server/policy/profile';
import { mintCustomTokenForProof } from '@/lib/server/session/tokens';
import { callProvider, idpResponse } from '../support/accounts-client';
import { serveSecondFactor } from '../support/second-factor-app';
import { SESSION } from '../support/session-app';
import { fetchIdToken, idTokenByCustomToken } from '../support/test-users';
import { nextSecond, type Answer } from '../support/client';

const app = serveSecondFactor();
const emulator = { emulatorHost: process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '' };

/** The longest values that the identity provider accepts. */
const LONGEST = { displayName: '名'.repeat(256), photoUrl: `https://pictures.test/${'p'.repeat(2_048 - 22)}` };
const CLAIMS_MAX = 1_000;

/**
 * A browser drops a longer cookie, including its name and attributes. The emulator's cookie has no signature and a
 * shorter header.
 */
const COOKIE_MAX = 4_096;
const SIGNED_MORE = 342 + 60;

function getCookieBytes({ headers }: Answer): number {
  const [cookie = ''] = headers.getSetCookie().filter((header) => header.startsWith(`${SESSION}=`));
  expect(cookie).not.toBe('');
  return Buffer.byteLength(cookie) + SIGNED_MORE;
}

/** Writes a profile at the identity provider's public API, as anyone can who has the password. */
async function fillProfile(idToken: string, profile: object = LONGEST): Promise<void> {
  const answer = await callProvider(emulator, 'accounts:update', { idToken, ...profile });
  expect(answer.status).toBe(200);
}

const setClaims = (length: number) => {
  const empty = JSON.stringify({ accessLevel: 'staff', note: '' }).length;
  const claims = { accessLevel: 'staff', note: 'c'.repeat(length - empty) };
  return getIdentityAdmin().setCustomUserClaims(app.user.uid, claims);
};

const googleToken = async (identity: object = {}) => {
  const of = { sub: app.user.uid.padEnd(200, 'g'), email: app.user.email, email_verified: true, ...identity };
  return String((await callProvider(emulator, 'accounts:signInWithIdp', idpResponse('google.com', of))).body.idToken);
};
const signInAgain = async () => {
  await nextSecond();
  return fetchIdToken(app.user);
};

/** Every kind of sign-in whose token this app accepts. */
const WAYS: Record<string, () => Promise<string>> = {
  password: signInAgain,
  'social provider': () => googleToken(),
  'code, link or passkey': async () =>
    idTokenByCustomToken(await mintCustomTokenForProof(app.user.uid, { at: new Date() })),
};

describe.each(Object.entries(WAYS))('a sign-in by %s', (_way, getToken) => {
  test('gets a cookie that browsers keep, whatever a client wrote at the identity provider', async () => {
    await fillProfile(await fetchIdToken(app.user));
    const browser = app.newBrowser();
    const answer = await app.open(browser, await getToken());
    expect(answer.status).toBe(200);
    expect(getCookieBytes(answer)).toBeLessThanOrEqual(COOKIE_MAX);
    expect(await app.check(browser)).toBe(200);
  });

  test('gets one with the longest claims of an operator and a long picture', async () => {
    await setClaims(CLAIMS_MAX);
    await fillProfile(await fetchIdToken(app.user), {
      photoUrl: `https://p.test/${'p'.repeat(480)}`,
      displayName: '名'.repeat(80),
    });
    const browser = app.newBrowser();
    const answer = await app.open(browser, await getToken());
    expect(answer.status).toBe(200);
    expect(getCookieBytes(answer)).toBeLessThanOrEqual(COOKIE_MAX);
    expect(answer.cookies.kk_user_access_level?.value).toBe('staff');
    const { customClaims } = await getIdentityAdmin().getUser(app.user.uid);
    expect(JSON.stringify(customClaims).length).toBe(CLAIMS_MAX);
  });
});

test('identities with long ids that an intruder has connected give way, and the owner is told', async () => {
  const laptop = app.newBrowser();
  await app.signIn(laptop);
  const connect = async (providerId: string, email: string) => {
    const identity = { sub: 'i'.repeat(255), email, email_verified: true };
    const idToken = await fetchIdToken(app.user);
    const body = { idToken, ...idpResponse(providerId, identity) };
    expect(await callProvider(emulator, 'accounts:signInWithIdp', body)).toMatchObject({ status: 200 });
  };
  await connect('google.com', app.user.email);
  const foreign = ['apple.com', 'facebook.com', 'github.com', ...'abcdefg'].map((id) =>
    id.length > 1 ? id : `oidc.${id}`,
  );
  for (const id of foreign) await connect(id, 'mallory@mallory.test');
  for (const answer of [await app.renew(laptop), await app.open(app.newBrowser('phone'), await signInAgain())]) {
    expect([answer.status, answer.body?.code]).toEqual([200, undefined]);
    expect(getCookieBytes(answer)).toBeLessThanOrEqual(COOKIE_MAX);
  }
  const { providerData } = await getIdentityAdmin().getUser(app.user.uid);
  expect(providerData.map(({ providerId }) => providerId).sort()).toEqual(['google.com', 'password']);
  const subjects = (await app.readMails(1)).map(({ subject }) => subject);
  expect(
    subjects.filter((subject) => subject === 'We disconnected sign-in methods from your Campus account'),
  ).toHaveLength(1);
});

test('a profile within its bounds stays as it is, and its sign-in is that of its provider', async () => {
  const photoUrl = `https://pictures.test/${'p'.repeat(200)}`;
  await fillProfile(await fetchIdToken(app.user), { photoUrl, displayName: '山田 太郎' });
  const browser = app.newBrowser();
  await app.open(browser, await signInAgain());
  expect((await getIdentityAdmin().getUser(app.user.uid)).photoURL).toBe(photoUrl);
  const [, claims = ''] = (browser.cookies[SESSION] ?? '').split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    picture: photoUrl,
    name: '山田 太郎',
  });
});

test('a profile that exceeds its bounds is cut at the identity provider by the next sign-in', async () => {
  await fillProfile(await fetchIdToken(app.user));
  await app.open(app.newBrowser(), await signInAgain());
  const { displayName = '', photoURL } = await getIdentityAdmin().getUser(app.user.uid);
  expect(displayName).toBe('名'.repeat(Math.floor(PROFILE_MAX.nameBytes / 3)));
  expect(photoURL).toBeUndefined();
});

test('a profile that was filled after the sign-in reaches neither the status nor a renewed cookie', async () => {
  const browser = app.newBrowser();
  await app.signIn(browser);
  await fillProfile(await fetchIdToken(app.user));
  app.advance(21);
  const status = await app.call(browser, 'check-auth-status');
  expect(status.status).toBe(200);
  expect(JSON.stringify(status.body).length).toBeLessThan(1_024);
  const renewed = await app.renew(browser);
  expect(renewed.status).toBe(200);
  expect(getCookieBytes(renewed)).toBeLessThanOrEqual(COOKIE_MAX);
});

test('the session of a cut profile is that of the first proof: its age, its renewal and its second step', async () => {
  await app.enrol();
  await nextSecond();
  await fillProfile(await fetchIdToken(app.user));
  const browser = app.newBrowser('phone');
  const answer = await app.open(browser, await signInAgain());
  expect(answer.body?.code).toBe('second-factor-required');
});

test('attributes that an organization adds to its tokens give way first, and the profile stays', async () => {
  await fillProfile(await fetchIdToken(app.user), { displayName: 'Mia Moreau' });
  const token = await signInAgain();
  const [head = '', claims = ''] = token.split('.');
  const long = {
    ...(JSON.parse(Buffer.from(claims, 'base64url').toString()) as object),
    sign_in_attributes: 'a'.repeat(3_000),
  };
  const forged = `${head}.${Buffer.from(JSON.stringify(long)).toString('base64url')}.`;
  const browser = app.newBrowser();
  const answer = await app.open(browser, forged);
  expect(answer.status).toBe(200);
  expect((await getIdentityAdmin().getUser(app.user.uid)).displayName).toBe('Mia Moreau');
  expect(getCookieBytes(answer)).toBeLessThanOrEqual(COOKIE_MAX);
});
