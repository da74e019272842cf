import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getRecords } from '@/lib/server/storage/records';
import { deleteExpired } from '@/lib/server/storage/records/retention';
import { endLock, takeLock } from './account-lock';
import { nextSecond } from './client';
import { linksIn } from './mail';
import type { PasskeyApp } from './passkey-app';
import { loseAnswer } from './provider-changes';
import { SoftwareAuthenticator, type Forgery } from './software-authenticator';
import { createTestUser, fetchIdToken, idTokenByCustomToken, shiftIdToken } from './test-users';

/** Passkeys of an account: who adds, changes and removes them, and when they no longer sign in. */
export function testPasskeyAccounts(app: PasskeyApp): void {
  const {
    newBrowser,
    call,
    signIn,
    check,
    kinds,
    advance,
    expectCode,
    begin,
    add,
    use,
    stored,
    enroll,
    readSubjects,
    ok,
    readMails,
  } = app;

  test('adding needs a proof of the last five minutes', async () => {
    const laptop = newBrowser();
    const token = await fetchIdToken(app.user);
    await app.open(laptop, token);
    advance(301);
    const body = { source: 'settings' };
    expectCode(await call(laptop, 'passkeys/creation-options', body), 403, 'recent-login-required');
    expectCode(await call(laptop, 'passkeys/creation-options', { ...body, token }), 403, 'recent-login-required');
    const fresh = shiftIdToken(await fetchIdToken(app.user), 301);
    expect(ok(await add(laptop, new SoftwareAuthenticator(), {}, { ...body, token: fresh }))).toBe(200);
    const stranger = await createTestUser();
    const foreign = shiftIdToken(await fetchIdToken(stranger), 301);
    expectCode(
      await call(laptop, 'passkeys/creation-options', { ...body, token: foreign }),
      403,
      'recent-login-required',
    );
    expectCode(await call(newBrowser(), 'passkeys/creation-options', body), 401, 'session-required');
  });

  test('a browser creates one by itself only after a sign-in with the password', async () => {
    const { laptop, authenticator } = await enroll();
    const silent = { flags: ['be', 'bs'] } satisfies Forgery;
    expect(ok(await add(laptop, new SoftwareAuthenticator(), silent, { source: 'upgrade' }))).toBe(200);
    expect((await stored()).at(-1)).toMatchObject({ userVerified: false, source: 'upgrade' });
    // Only there it may lack the user's presence and verification.
    for (const source of ['settings', 'offer', 'registration'])
      expectCode(await add(laptop, new SoftwareAuthenticator(), silent, { source }), 403, 'passkey-refused');
    const phone = newBrowser('phone');
    await use(phone, authenticator);
    expectCode(await call(phone, 'passkeys/creation-options', { source: 'upgrade' }), 403, 'recent-login-required');
  });

  test('the user handle is stable, and each credential and account has its own', async () => {
    const { laptop } = await enroll();
    const [one, two] = [
      await begin(laptop, 'creation-options', { source: 'settings' }),
      await begin(laptop, 'creation-options', { source: 'settings' }),
    ];
    expect(one.options.user.id).toBe(two.options.user.id);
    expect(Buffer.from(one.options.user.id, 'base64url')).toHaveLength(32);
    expect(one.options.user.id).not.toContain(app.user.uid);
    const response = new SoftwareAuthenticator().create(one.options);
    expect(ok(await call(laptop, 'passkeys/add', { challenge: one.challenge, response }))).toBe(200);
    const clientDataJSON = Buffer.from(
      JSON.stringify({
        type: 'webauthn.create',
        challenge: two.options.challenge,
        origin: 'http://localhost:3000',
        crossOrigin: false,
      }),
    ).toString('base64url');
    const again = {
      challenge: two.challenge,
      response: { ...response, response: { ...response.response, clientDataJSON } },
    };
    expectCode(await call(laptop, 'passkeys/add', again), 409, 'passkey-exists');
  });

  test('an account has ten at most, and one more begins none', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    for (let count = 0; count < 10; count += 1) expect(ok(await add(laptop))).toBe(200);
    expectCode(await add(laptop), 409, 'passkey-limit');
    expect(await stored()).toHaveLength(10);
  });

  test('a passkey is renamed by its owner alone', async () => {
    const { laptop, id } = await enroll();
    const other = newBrowser();
    await app.open(other, await fetchIdToken(await createTestUser()));
    expectCode(await call(other, 'passkeys/rename', { id, name: 'Mine' }), 404, 'passkey-unknown');
    expect(ok(await call(laptop, 'passkeys/rename', { id, name: '  My phone ' }))).toBe(200);
    expect((await stored())[0]?.name).toBe('My phone');
    for (const name of ['', '   ', 'x'.repeat(61)])
      expect(ok(await call(laptop, 'passkeys/rename', { id, name }))).toBe(400);
  });

  test('a removed passkey is unknown, its sessions end, and this browser stays', async () => {
    const { laptop, authenticator, id } = await enroll();
    const phone = newBrowser('phone');
    await use(phone, authenticator);
    const stranger = newBrowser();
    await app.open(stranger, await fetchIdToken(await createTestUser()));
    expect((await call(stranger, 'passkeys/remove', { id })).body).toMatchObject({ signal: null });
    expect(await stored()).toHaveLength(1);
    await nextSecond();
    const removed = await call(laptop, 'passkeys/remove', { id });
    expect(removed).toMatchObject({
      status: 200,
      body: { signal: { credentialIds: [] }, customToken: expect.any(String) as string },
    });
    expect([await check(laptop), await check(phone)]).toEqual([200, 401]);
    expectCode(await use(newBrowser(), authenticator), 404, 'passkey-unknown');
    expect(await kinds()).toContain('passkey-removed');
    expect(await readSubjects(3)).toContain('A passkey was removed from your Campus account');
    advance(301);
    expectCode(await call(laptop, 'passkeys/remove', { id }), 403, 'recent-login-required');
  });

  test.each([0, 1])('a passkey is removed although the answer to revocation %i is lost', async (lost) => {
    const { laptop, id } = await enroll();
    await nextSecond();
    const provider = loseAnswer(lost);
    const removed = await call(laptop, 'passkeys/remove', { id });
    provider.mockRestore();
    expect(removed).toMatchObject({ status: 200, body: { customToken: expect.any(String) as string } });
    expect(await stored()).toEqual([]);
    expect(await check(laptop)).toBe(200);
  });

  test('the last sign-in method stays: a password goes with two passkeys, and one passkey remains', async () => {
    const { laptop, id, authenticator } = await enroll();
    const unlink = async () => {
      // Removing a password revokes by whole seconds.
      await nextSecond();
      const { customToken } = (await call(laptop, 'auto-sign-in')).body as { customToken: string };
      return call(laptop, 'account/unlink-method', {
        token: await idTokenByCustomToken(customToken),
        method: 'password',
      });
    };
    expectCode(await unlink(), 409, 'last-method');
    expect(ok(await add(laptop))).toBe(200);
    expect(ok(await unlink())).toBe(200);
    expect((await getIdentityAdmin().getUser(app.user.uid)).providerData).toEqual([]);
    const second = (await stored()).find((passkey) => passkey.id !== id)?.id;
    expect(ok(await call(laptop, 'passkeys/remove', { id: second }))).toBe(200);
    expectCode(await call(laptop, 'passkeys/remove', { id }), 409, 'last-method');
    expect(ok(await use(newBrowser(), authenticator))).toBe(200);
  });

  test('a proof by passkey stands for a sign-in at the identity provider', async () => {
    const { laptop, authenticator } = await enroll();
    const { options, challenge } = await begin(laptop, 'proof-options');
    expect(options.allowCredentials).toHaveLength(1);
    const proved = await call(laptop, 'passkeys/prove', { challenge, response: authenticator.get(options) });
    const token = await idTokenByCustomToken((proved.body as { customToken: string }).customToken);
    expect(ok(await call(laptop, 'account/data', { token }))).toBe(200);
    const data = await call(laptop, 'account/data', { token });
    expect(JSON.stringify(data.body)).toContain((await stored())[0]?.credentialId);
  });

  test.each([null, ''])(
    'a proof may leave out the account that the options have named, as many phones do: %j',
    async (userHandle) => {
      const { laptop, authenticator } = await enroll();
      const { options, challenge } = await begin(laptop, 'proof-options');
      const response = authenticator.get(options, { userHandle });
      expect(ok(await call(laptop, 'passkeys/prove', { challenge, response }))).toBe(200);
    },
  );

  test('a proof must be by the own passkey', async () => {
    const owner = await enroll();
    const intruder = newBrowser();
    const other = await createTestUser();
    await app.open(intruder, await fetchIdToken(other));
    const key = new SoftwareAuthenticator();
    expect(ok(await add(intruder, key))).toBe(200);
    const { challenge, options } = await begin(intruder, 'proof-options');
    const response = owner.authenticator.get({ ...options, allowCredentials: undefined });
    expectCode(await call(intruder, 'passkeys/prove', { challenge, response }), 409, 'other-account');
  });

  test('disabled, deleted, changed and revoked accounts: as for every other sign-in method', async () => {
    const admin = getIdentityAdmin();
    const { authenticator, laptop } = await enroll();
    await admin.updateUser(app.user.uid, { disabled: true });
    expectCode(await use(newBrowser(), authenticator), 401, 'user-disabled');
    await admin.updateUser(app.user.uid, { disabled: false });
    await nextSecond();
    await admin.revokeRefreshTokens(app.user.uid);
    // The clock of the marks counts whole seconds.
    await nextSecond();
    const again = await use(newBrowser(), authenticator);
    expect([again.body?.code, again.status, await check(laptop)]).toEqual([undefined, 200, 401]);
    // Moved away from its proved email: it is restored first.
    await admin.updateUser(app.user.uid, { email: `new-${app.user.email}` });
    await nextSecond();
    expect(ok(await use(newBrowser(), authenticator))).toBe(200);
    expect((await admin.getUser(app.user.uid)).email).toBe(app.user.email);
    // It has proved another one.
    const email = `other-${app.user.email}`;
    await admin.updateUser(app.user.uid, { email });
    await admin.setCustomUserClaims(app.user.uid, { proved_address: email });
    expectCode(await use(newBrowser(), authenticator), 404, 'passkey-unknown');
    await admin.deleteUser(app.user.uid);
    expectCode(await use(newBrowser(), authenticator), 404, 'passkey-unknown');
    expect(await admin.getUser(app.user.uid).catch(() => null)).toBeNull();
  });

  test('an account that its organization manages needs its permission', async () => {
    const admin = getIdentityAdmin();
    const [email, password] = [`${randomUUID()}@acme.test`, 'correct-horse-7'];
    const { uid } = await admin.createUser({ email, password, emailVerified: true });
    const [laptop, phone, key] = [newBrowser(), newBrowser('phone'), new SoftwareAuthenticator()];
    const unverifiedKey = new SoftwareAuthenticator();
    await app.open(laptop, await fetchIdToken({ email, password }));
    expect(ok(await add(laptop, key))).toBe(200);
    expect(ok(await add(laptop, unverifiedKey, { flags: ['be', 'bs'] }, { source: 'upgrade' }))).toBe(200);
    expect([ok(await use(phone, key)), await check(phone)]).toEqual([200, 200]);
    // From now on the organization manages it.
    await admin.updateUser(uid, { providerToLink: { providerId: 'saml.acme', uid: email, email } });
    for (const each of [key, unverifiedKey]) expectCode(await use(newBrowser(), each), 403, 'sso-required');
    expectCode(await call(laptop, 'passkeys/creation-options', { source: 'settings' }), 403, 'sso-required');
    // Of a session opened by passkey the next change is told within 20 s, and a change of the account at once.
    expectCode(await call(phone, 'passkeys/rename', { id: randomUUID(), name: 'x' }), 401, 'token-revoked');
    expect(await check(laptop)).toBe(200);
  });

  test('a disavowed sign-in takes the passkeys added since with it, and leaves those from before', async () => {
    const { authenticator, id } = await enroll();
    await app.moveBack('passkeys', 'created_at');
    await nextSecond();
    const intruder = newBrowser('phone');
    await signIn(intruder);
    const planted = new SoftwareAuthenticator();
    expect(ok(await add(intruder, planted))).toBe(200);
    const mails = await readMails(3);
    const [link = ''] = linksIn(mails.find(({ subject }) => subject.startsWith('New sign-in')) ?? { text: '' });
    const code = new URL(link).searchParams.get('oobCode');
    await nextSecond();
    expect(ok(await call(newBrowser(), 'actions/disavow-sign-in', { code }))).toBe(200);
    expect((await stored()).map((passkey) => passkey.id)).toEqual([id]);
    expectCode(await use(newBrowser(), planted), 404, 'passkey-unknown');
    await nextSecond();
    expect(ok(await use(newBrowser(), authenticator))).toBe(200);
    expect((await kinds()).filter((event) => event === 'passkey-removed')).toHaveLength(1);
  });

  test('a change that has waited for a disavowal finds its session ended', async () => {
    const { id } = await enroll();
    await app.moveBack('passkeys', 'created_at');
    await nextSecond();
    const intruder = newBrowser('phone');
    await signIn(intruder);
    const mails = await readMails(2);
    const [link = ''] = linksIn(mails.find(({ subject }) => subject.startsWith('New sign-in')) ?? { text: '' });
    const code = new URL(link).searchParams.get('oobCode');
    await nextSecond();
    await takeLock(app.user.uid);
    const removal = call(intruder, 'passkeys/remove', { id });
    const ending = call(intruder.copy(), 'account/end-sessions', { others: true });
    // Both wait for the lock now, as the disavowal will.
    await sleep(300);
    const disavowal = call(newBrowser(), 'actions/disavow-sign-in', { code });
    await sleep(1_500);
    await endLock(app.user.uid);
    expect([(await removal).status, (await ending).status, (await disavowal).status]).toEqual([401, 401, 200]);
    expect(await check(intruder)).toBe(401);
    expect(await stored()).toHaveLength(1);
  });

  test('an account whose proved email is restored keeps the passkeys of that email', async () => {
    const { laptop } = await enroll();
    const { uid, email } = app.user;
    const admin = getIdentityAdmin();
    await admin.setCustomUserClaims(uid, { proved_address: email });
    await admin.updateUser(uid, { email: `stolen-${email}`, emailVerified: true });
    await app.open(newBrowser(), await fetchIdToken({ email: `stolen-${email}`, password: app.user.password }));
    expect((await admin.getUser(uid)).email).toBe(email);
    expect(await stored()).toHaveLength(1);
    expect(await check(laptop)).toBe(401);
  });

  test('retention keeps passkeys, their account, and forgets only challenges that have expired', async () => {
    const { authenticator } = await enroll();
    expect(ok(await use(newBrowser(), authenticator))).toBe(200);
    await deleteExpired(await getRecords(), new Date(Date.now() + 500 * 86_400_000));
    expect(await stored()).toHaveLength(1);
    expect(ok(await use(newBrowser(), authenticator))).toBe(200);
  });

  test('a body that is no response of an authenticator is a bad request', async () => {
    const { options, challenge } = await begin(newBrowser(), 'sign-in-options');
    const { authenticator } = await enroll();
    const response = authenticator.get(options);
    const wrong = [
      {},
      { challenge },
      { challenge, response: {} },
      { challenge, response: { ...response, id: '../..' } },
      { challenge, response: { ...response, type: 'x' } },
      { challenge, response: { ...response, response: { ...response.response, signature: 'é' } } },
    ];
    for (const body of wrong) expect(ok(await call(newBrowser(), 'passkeys/sign-in', body))).toBe(400);
    const other = { ...response, rawId: 'AAAA' };
    expectCode(await call(newBrowser(), 'passkeys/sign-in', { challenge, response: other }), 403, 'passkey-refused');
  });
}
