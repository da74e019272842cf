import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { getRecords } from '@/lib/server/storage/records';
import { nextSecond } from './client';
import type { PasskeyApp } from './passkey-app';
import { interceptChanges, unavailable } from './provider-changes';
import { SESSION } from './session-app';
import { SoftwareAuthenticator, type Forgery } from './software-authenticator';
import { createTestUser, fetchIdToken } from './test-users';

/** Tests of the first tier, which nothing else covers. */
export function testCeremonyBasics(app: PasskeyApp): void {
  const { newBrowser, call, kinds, list, expectCode, begin, use, stored, enroll, readSubjects, ok } = app;

  test('a passkey is added, told by event and email, and signs in on another browser', async () => {
    const { laptop, authenticator } = await enroll();
    expect(await kinds()).toEqual(['passkey-added', 'signed-in']);
    expect(await readSubjects(1)).toEqual(['A passkey was added to your Campus account']);
    const [row] = await stored();
    expect(row).toMatchObject({
      backupEligible: true,
      backedUp: true,
      userVerified: true,
      rpId: 'localhost',
      source: 'settings',
      algorithm: -7,
      transports: ['internal', 'hybrid', 'a-future-one'],
    });
    const phone = newBrowser('phone');
    const answer = await use(phone, authenticator);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        uid: app.user.uid,
        signal: { rpId: 'localhost', name: app.user.email, credentialIds: [row?.credentialId] },
      },
    });
    const status = await call(phone, 'check-auth-status');
    expect(status.body).toMatchObject({ uid: app.user.uid, assurance: 2 });
    expect((await call(laptop, 'check-auth-status')).body).toMatchObject({ assurance: 1 });
    expect((await list()).map(({ method }) => method).sort()).toEqual(['passkey', 'password']);
    expect((await stored())[0]?.lastUsedAt).not.toBeNull();
    // A renewal keeps how the user signed in.
    await nextSecond();
    expect(ok(await app.renew(phone))).toBe(200);
    expect((await call(phone, 'check-auth-status')).body).toMatchObject({ assurance: 2 });
  });

  test('no token of the identity provider reaches the browser at a sign-in', async () => {
    const { authenticator } = await enroll();
    const { body } = await use(newBrowser(), authenticator);
    expect(Object.keys(body ?? {}).sort()).toEqual(['signal', 'uid']);
  });

  test('one assertion opens one session, also when it is sent four times at once', async () => {
    const { authenticator } = await enroll();
    const { options, challenge } = await begin(newBrowser(), 'sign-in-options');
    const body = { challenge, response: authenticator.get(options) };
    const answers = await Promise.all([1, 2, 3, 4].map(() => call(newBrowser('phone'), 'passkeys/sign-in', body)));
    expect(answers.map(ok).sort()).toEqual([200, 410, 410, 410]);
    expectCode(await call(newBrowser(), 'passkeys/sign-in', body), 410, 'passkey-challenge-expired');
  });
}

/** Tests which authenticator responses the server accepts. */
export function testCeremonies(app: PasskeyApp): void {
  const { newBrowser, call, signIn, kinds, advance, expectCode, begin, add, use, stored, enroll, readSubjects, ok } =
    app;

  test('a sign-in by another method sends the complete list', async () => {
    expect((await signIn(newBrowser())).body).toEqual({});
    await enroll();
    const [row] = await stored();
    expect((await signIn(newBrowser('phone'))).body).toMatchObject({
      signal: { rpId: 'localhost', credentialIds: [row?.credentialId] },
    });
  });

  test('options say nothing about accounts', async () => {
    await enroll();
    const [one, two] = [await begin(newBrowser(), 'sign-in-options'), await begin(newBrowser(), 'sign-in-options')];
    expect(Object.keys(one.options).sort()).toEqual(['challenge', 'rpId', 'timeout', 'userVerification']);
    expect({ ...one.options, challenge: '' }).toEqual({ ...two.options, challenge: '' });
    expect(one.challenge.length).toBe(two.challenge.length);
  });

  const forgeries: [string, Forgery][] = [
    ['of another key', { forgesSignature: true }],
    ['without user verification', { flags: ['up', 'be', 'bs'] }],
    ['without user presence', { flags: ['uv', 'be', 'bs'] }],
    ['made on another origin', { origin: 'http://localhost:3001' }],
    ['made on a look-alike origin', { origin: 'http://localhost:3000.evil.test' }],
    ['for another RP ID', { rpId: 'campus.test' }],
    ['of a registration', { type: 'webauthn.create' }],
    ['with another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['made in a frame of another site', { crossOrigin: true }],
    ['made in a named frame', { crossOrigin: true, topOrigin: 'http://localhost:3000' }],
    ['with a top origin only', { topOrigin: 'http://localhost:3000' }],
    ['with the handle of another account', { userHandle: Buffer.alloc(32, 1).toString('base64url') }],
    ['with the uid as handle', { userHandle: 'uid' }],
    ['without a handle', { userHandle: null }],
    ['with an empty handle', { userHandle: '' }],
    ['that can no longer be backed up', { flags: ['up', 'uv'] }],
  ];
  test.each(forgeries)('an assertion %s is refused, and uses nothing up', async (_, forgery) => {
    const { authenticator } = await enroll();
    const phone = newBrowser('phone');
    const { options, challenge } = await begin(phone, 'sign-in-options');
    const forged = await call(phone, 'passkeys/sign-in', { challenge, response: authenticator.get(options, forgery) });
    expectCode(forged, 403, 'passkey-refused');
    expect(phone.cookies[SESSION]).toBeUndefined();
    expect((await stored())[0]).toMatchObject({ lastUsedAt: null, suspectAt: null });
    expect(ok(await call(phone, 'passkeys/sign-in', { challenge, response: authenticator.get(options) }))).toBe(200);
  });

  test.each([
    ['of another origin', { origin: 'http://localhost:3001' }],
    ['for another RP ID', { rpId: 'campus.test' }],
    ['of an assertion', { type: 'webauthn.get' }],
    ['made in a frame of another site', { crossOrigin: true }],
    ['without user verification', { flags: ['up'] }],
    ['without user presence', { flags: ['uv'] }],
    ['with an algorithm that was not offered', { algorithm: -47 }],
    ['with another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['with another id beside it', { idLength: 16 }],
    ['with an id that no index takes', { idLength: 8_000 }],
  ] satisfies [string, Forgery][])('a new credential %s is refused', async (_, forgery) => {
    const laptop = newBrowser();
    await signIn(laptop);
    expectCode(await add(laptop, new SoftwareAuthenticator(), forgery), 403, 'passkey-refused');
    expect(await stored()).toEqual([]);
  });

  test('one challenge takes one response, also of two keys', async () => {
    const [first, second] = [await enroll(), new SoftwareAuthenticator()];
    expect(ok(await add(first.laptop, second))).toBe(200);
    const { options, challenge } = await begin(newBrowser(), 'sign-in-options');
    const bodies = [first.authenticator, second].map((key) => ({ challenge, response: key.get(options) }));
    const answers = await Promise.all(bodies.map((body) => call(newBrowser(), 'passkeys/sign-in', body)));
    expect(answers.map(ok).sort()).toEqual([200, 410]);
  });

  test('a challenge is of one kind, of one account, and lives five minutes', async () => {
    const { laptop, authenticator } = await enroll();
    const proof = await begin(laptop, 'proof-options');
    const forSignIn = { challenge: proof.challenge, response: authenticator.get(proof.options) };
    expectCode(await call(newBrowser(), 'passkeys/sign-in', forSignIn), 403, 'passkey-refused');
    const creation = await begin(laptop, 'creation-options', { source: 'settings' });
    const other = newBrowser();
    const stranger = await createTestUser();
    await app.open(other, await fetchIdToken(stranger));
    const foreign = { challenge: creation.challenge, response: new SoftwareAuthenticator().create(creation.options) };
    expectCode(await call(other, 'passkeys/add', foreign), 409, 'other-account');
    const { options, challenge } = await begin(newBrowser(), 'sign-in-options');
    advance(301);
    const late = await call(newBrowser(), 'passkeys/sign-in', { challenge, response: authenticator.get(options) });
    expectCode(late, 410, 'passkey-challenge-expired');
    expectCode(
      await call(newBrowser(), 'passkeys/sign-in', { challenge: 'x', response: authenticator.get(options) }),
      403,
      'passkey-refused',
    );
  });

  test('an attestation statement is neither asked for nor read', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    const { options, challenge } = await begin(laptop, 'creation-options', { source: 'settings' });
    const response = new SoftwareAuthenticator().create(options, { statement: new Map([['x5c', [Buffer.alloc(64)]]]) });
    expect(await call(laptop, 'passkeys/add', { challenge, response })).toMatchObject({ status: 200 });
    const broken = { ...response, response: { ...response.response, attestationObject: 'oWNmbXQ' } };
    const again = await begin(laptop, 'creation-options', { source: 'settings' });
    expectCode(
      await call(laptop, 'passkeys/add', { challenge: again.challenge, response: broken }),
      403,
      'passkey-refused',
    );
  });

  test('a response that is sent again, or arrives late, does not turn a security key off', async () => {
    const { authenticator } = await enroll(new SoftwareAuthenticator(false));
    const [first, second] = [
      await begin(newBrowser(), 'sign-in-options'),
      await begin(newBrowser(), 'sign-in-options'),
    ];
    const bodies = [first, second].map(({ options, challenge }) => ({
      challenge,
      response: authenticator.get(options),
    }));
    // The later use arrives first, then the earlier use, and then both again.
    expect(ok(await call(newBrowser(), 'passkeys/sign-in', bodies[1]))).toBe(200);
    for (const body of [bodies[0], bodies[1], bodies[0]])
      expectCode(await call(newBrowser(), 'passkeys/sign-in', body), 410, 'passkey-challenge-expired');
    expect((await stored())[0]?.suspectAt).toBeNull();
    expect(ok(await use(newBrowser(), authenticator))).toBe(200);
  });

  test('a synced passkey whose counter repeats or goes back signs in: each copy of its key counts by itself', async () => {
    const { authenticator, laptop } = await enroll();
    for (const counter of [7, 7, 3]) expect(ok(await use(newBrowser(), authenticator, { counter }))).toBe(200);
    expect((await stored())[0]).toMatchObject({ suspectAt: null, counter: 7 });
    expect(await app.check(laptop)).toBe(200);
    // A copy of a security key cannot turn itself into a synced key.
    const { authenticator: key } = await enroll(new SoftwareAuthenticator(false));
    expect(ok(await use(newBrowser(), key))).toBe(200);
    expectCode(await use(newBrowser(), key, { counter: 1, flags: ['up', 'uv', 'be', 'bs'] }), 403, 'passkey-refused');
    expectCode(await use(newBrowser(), key, { counter: 1 }), 403, 'passkey-suspect');
  });

  test('a counter that goes back turns the passkey off, and says so; a forged one does not', async () => {
    const { authenticator, laptop } = await enroll(new SoftwareAuthenticator(false));
    expect(ok(await use(newBrowser(), authenticator))).toBe(200);
    expect(ok(await use(newBrowser(), authenticator))).toBe(200);
    expectCode(await use(newBrowser(), authenticator, { counter: 1, forgesSignature: true }), 403, 'passkey-refused');
    expect((await stored())[0]?.suspectAt).toBeNull();
    expectCode(await use(newBrowser(), authenticator, { counter: 1 }), 403, 'passkey-suspect');
    // Sessions that the copy may have opened are ended.
    expect(await app.check(laptop)).toBe(401);
    // From now on, neither the copy nor the original can sign in.
    expectCode(await use(newBrowser(), authenticator), 403, 'passkey-suspect');
    expect((await kinds()).filter((event) => event === 'passkey-suspect')).toHaveLength(1);
    expect(await readSubjects(3)).toContain('A passkey for Campus was turned off');
    await nextSecond();
    await signIn(laptop);
    expectCode(await call(laptop, 'passkeys/proof-options'), 404, 'passkey-unknown');
    // Simulates that the sessions could not be ended together with the mark. The next use of the passkey ends them.
    const records = await getRecords();
    await records.transact((tx) => tx.execute(sql`update passkeys set suspect_at = now() + interval '1 second'`));
    expect(await app.check(laptop)).toBe(200);
    await nextSecond();
    expectCode(await use(newBrowser(), authenticator), 403, 'passkey-suspect');
    expect(await app.check(laptop)).toBe(401);
  });
  test('a copy is signed out as the email says, also where the provider takes no change at first', async () => {
    const { authenticator, laptop } = await enroll(new SoftwareAuthenticator(false));
    for (let i = 0; i < 2; i += 1) expect(ok(await use(newBrowser(), authenticator))).toBe(200);
    await nextSecond();
    const changes = interceptChanges(() => Promise.resolve(unavailable()));
    expectCode(await use(newBrowser(), authenticator, { counter: 1 }), 503, 'provider-unavailable');
    expect(await app.check(laptop)).toBe(200);
    changes.mockRestore();
    await expect.poll(() => app.check(laptop)).toBe(401);
  });
}
