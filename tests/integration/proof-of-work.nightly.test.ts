// ASVS: 6.3.1
// Threats: flooding, enumeration, code-guessing, stuffing
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { solve } from '@/lib/browser/proof-of-work';
import { processWide } from '@/lib/server/runtime';
import { LIMITS, WATCHES, type LimitName } from '@/lib/server/storage/rate-limits/table';
import { consumeLimit, recordSoftHit, recordWatched } from '@/lib/server/storage/rate-limits';
import type { ProofChallenge } from '@/lib/shared/request-headers';
import { CookieJar, type Answer } from '../support/client';
import {
  call as send,
  callUntilAsked as askUntil,
  newEmail,
  newNetwork,
  pack,
  RESET,
  solveAnswer,
  type CallOptions,
} from '../support/proof-of-work';
import { serveRoutes, type RunningRoutes } from '../support/routes';
import { createTestUser, fetchIdToken } from '../support/test-users';

let app: RunningRoutes;
beforeAll(async () => {
  process.env.PROOF_OF_WORK = '50';
  process.env.TRUSTED_PROXY_HOPS = '1';
  app = await serveRoutes();
});
afterAll(() => app.close());
afterEach(async () => {
  vi.useRealTimers();
  // The emails of one test must not count in the next.
  await (await getLimiter('watch:emails-overall'))?.delete('all');
});

const call = (route: string, body: unknown, options: CallOptions) => send(app.origin, route, body, options);
const callUntilAsked = (email: string, network: string) => askUntil(app.origin, email, network);

const getLimiter = (name: string) => processWide<Promise<RateLimiterAbstract> | null>(`limit:${name}`, () => null);

const countHits = async (limit: LimitName, key: string) => {
  await consumeLimit(limit, 'another');
  return (await (await getLimiter(limit))?.get(key))?.consumedPoints;
};

/** Begins a call whose body comes later. @returns a function that sends it and reads the response's status */
function beginCall(route: string, body: unknown, network: string) {
  const text = JSON.stringify(body);
  const headers = {
    origin: 'http://localhost:3000',
    'content-type': 'application/json',
    'content-length': text.length,
    'x-forwarded-for': network,
  };
  const sent = request(app.origin + route, { method: 'POST', headers });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.write(text.slice(0, 1));
  return async () => {
    sent.end(text.slice(1));
    const [answer] = await answered;
    answer.resume();
    return answer.statusCode;
  };
}

describe('a call that sends an email', () => {
  test('needs a proof beyond the soft limit of its address, and goes through with one', async () => {
    const [email, network] = [newEmail(), newNetwork()];
    const asked = await callUntilAsked(email, network);
    expect(Number(asked.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(asked.headers.get('cache-control')).toBe('no-store');
    expect((await call(RESET, { email }, { network, proof: pack(await solveAnswer(asked)) })).status).toBe(200);
    // No proof is required for another address or from another network.
    expect((await call(RESET, { email: newEmail() }, { network })).status).toBe(200);
    expect((await call(RESET, { email }, { network: newNetwork() })).status).toBe(200);
  });

  test('counts the emails of all purposes together', async () => {
    const [email, network] = [newEmail(), newNetwork()];
    const routes = [RESET, '/api/email-link', '/api/sign-in-help'];
    for (let i = 0; i < LIMITS['email-to-address'].proofAfter; i += 1)
      expect((await call(routes[i % routes.length] ?? RESET, { email }, { network })).status).toBe(200);
    for (const route of routes) expect((await call(route, { email }, { network })).body?.code).toBe('proof-required');
  });

  test('needs one in an open flow, too', async () => {
    const email = newEmail();
    const jar = new CookieJar({ 'x-forwarded-for': newNetwork() });
    const ask = () => jar.post(`${app.origin}${RESET}`, { email });
    for (let i = 0; i < LIMITS['email-to-address'].proofAfter; i += 1) expect((await ask()).status).toBe(200);
    expect(Object.keys(jar.cookies)).toContainEqual(expect.stringContaining('password-reset'));
    expect((await ask()).body?.code).toBe('proof-required');
  });

  test('still meets the hard limit, which calls without a proof have not used up', async () => {
    const [email, network] = [newEmail(), newNetwork()];
    await callUntilAsked(email, network);
    for (let i = 0; i < 20; i += 1) expect((await call(RESET, { email }, { network })).status).toBe(403);
    const left = LIMITS['email-to-address'].points - LIMITS['email-to-address'].proofAfter;
    const send = async () => {
      const asked = await call(RESET, { email }, { network });
      return call(RESET, { email }, { network, proof: pack(await solveAnswer(asked)) });
    };
    for (let i = 0; i < left; i += 1) expect((await send()).status).toBe(200);
    const refused = await send();
    expect([refused.status, refused.body?.code]).toEqual([429, 'too-many-requests']);
  });

  test('needs one when all browsers together ask for many, whichever the address and the network, but for those that know it', async () => {
    const user = await createTestUser();
    const jar = new CookieJar({ 'x-forwarded-for': newNetwork() });
    await jar.post(`${app.origin}/api/create-user-session`, { token: await fetchIdToken(user) });
    const { proofAfter, seconds } = WATCHES['emails-overall'];
    for (let i = 0; i <= proofAfter; i += 1) await recordWatched('emails-overall', 'all');
    const [email, network] = [newEmail(), newNetwork()];
    const asked = await call(RESET, { email }, { network });
    expect([asked.status, asked.body?.code]).toEqual([403, 'proof-required']);
    expect(Number(asked.headers.get('retry-after'))).toBeLessThanOrEqual(seconds);
    expect((await call(RESET, { email }, { network, proof: pack(await solveAnswer(asked)) })).status).toBe(200);
    expect((await call(RESET, { email: user.email }, { network, jar })).status).toBe(200);
  });

  test('counts for all browsers together only when its own address needs no proof', async () => {
    const [email, network] = [newEmail(), newNetwork()];
    await callUntilAsked(email, network);
    for (let i = 0; i < 5; i += 1) expect((await call(RESET, { email }, { network })).status).toBe(403);
    const limiter = await getLimiter('watch:emails-overall');
    expect((await limiter?.get('all'))?.consumedPoints).toBe(LIMITS['email-to-address'].proofAfter);
  });

  test('is asked for the same whether the account exists', async () => {
    const known = await callUntilAsked((await createTestUser()).email, newNetwork());
    const unknown = await callUntilAsked(newEmail(), newNetwork());
    const shape = ({ status, body, headers }: Answer) => {
      const { parameters } = body?.challenge as ProofChallenge;
      return [status, { ...body, challenge: Object.keys(parameters) }, [...headers.keys()].sort()];
    };
    expect(shape(known)).toEqual(shape(unknown));
  });

  test('is never asked because of an address in a browser that knows it', async () => {
    const user = await createTestUser();
    const network = newNetwork();
    const jar = new CookieJar({ 'x-forwarded-for': network });
    await jar.post(`${app.origin}/api/create-user-session`, { token: await fetchIdToken(user) });
    expect(jar.cookies).toHaveProperty('known-browser');
    await callUntilAsked(user.email, network);
    expect((await call(RESET, { email: user.email }, { network, jar })).status).toBe(200);
  });

  test.each([
    ['/api/sign-in-help', 'email-by-client'],
    ['/api/email-link', 'email-by-client'],
    ['/api/registration/resend', 'email-by-client'],
    ['/api/password-reset/confirm', 'try-code'],
    ['/api/registration/confirm', 'try-code'],
  ] as const)('or tries a code (%s) needs one beyond the soft limit of its network', async (route, limit) => {
    const network = newNetwork();
    for (let i = 0; i <= LIMITS[limit].proofAfter; i += 1) await recordSoftHit(limit, network);
    const body = { email: newEmail(), flow: 'x'.repeat(22), code: 'ABC123', password: 'quiet-lantern-42' };
    const asked = await call(route, body, { network });
    expect([asked.status, asked.body?.code]).toEqual([403, 'proof-required']);
    const answer = await call(route, body, { network, proof: pack(await solveAnswer(asked)) });
    expect(answer.body?.code).not.toBe('proof-required');
  });
});

describe('a proof', () => {
  /** Makes a call for which a proof is required, and returns the proof and a function that sends it. */
  async function ask() {
    const [email, network] = [newEmail(), newNetwork()];
    const asked = await callUntilAsked(email, network);
    const send = (proof: unknown, more: Partial<CallOptions> = {}) =>
      call(RESET, { email }, { network, proof: typeof proof === 'string' ? proof : pack(proof), ...more });
    return { email, network, proof: await solveAnswer(asked), send };
  }
  const isAskedAgain = ({ status, body }: Answer) => {
    expect([status, body?.code]).toEqual([403, 'proof-required']);
    expect(body?.detail).toMatch(/expired, was used, or is not for this call/);
  };

  test('is good for one call', async () => {
    const { proof, send } = await ask();
    expect((await send(proof)).status).toBe(200);
    isAskedAgain(await send(proof));
  });

  test('is good for one of several calls at the same time', async () => {
    const { proof, send } = await ask();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(proof)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 403)]);
  });

  test('of another route, or another network, is not one', async () => {
    const { email, network, proof, send } = await ask();
    const [elsewhere, another] = [newNetwork(), newEmail()];
    await callUntilAsked(another, elsewhere);
    isAskedAgain(await call(RESET, { email: another }, { network: elsewhere, proof: pack(proof) }));
    const help = () => call('/api/sign-in-help', { email }, { network, proof: pack(proof) });
    for (let i = 0; i < LIMITS['email-to-address'].proofAfter; i += 1) await help();
    isAskedAgain(await help());
    // Neither refusal has used up the proof.
    expect((await send(proof)).status).toBe(200);
  });

  test('that is expired is not one', async () => {
    const { proof, send } = await ask();
    vi.useFakeTimers({ toFake: ['Date'], now: (proof.challenge.parameters.expiresAt + 2) * 1000 });
    isAskedAgain(await send(proof));
  });

  test('that was changed is not one', async () => {
    const { proof, send } = await ask();
    const { challenge, solution } = proof;
    const { parameters } = challenge;
    const easier = { ...parameters, cost: 1, keyPrefix: '00' };
    const easy = await solve({ ...challenge, parameters: easier });
    const forged = [
      { challenge: { ...challenge, parameters: easier }, solution: easy },
      { challenge: { ...challenge, parameters: { ...parameters, expiresAt: parameters.expiresAt + 3600 } }, solution },
      { challenge: { ...challenge, parameters: { ...parameters, data: { call: 'x' } } }, solution },
      { challenge: { ...challenge, signature: '00'.repeat(32) }, solution },
      { challenge: { parameters }, solution },
      { challenge, solution: { counter: 0, derivedKey: parameters.keyPrefix } },
      { challenge, solution: { counter: 0, derivedKey: `${parameters.keyPrefix}${'00'.repeat(16)}` } },
      { challenge, solution: { counter: -1, derivedKey: '' } },
      { challenge, solution: null },
      { challenge: { ...challenge, parameters: { ...parameters, algorithm: 'SHA-256' } }, solution },
      'not base64 of anything',
      pack(proof).repeat(4),
      '',
    ];
    for (const each of forged) isAskedAgain(await send(each));
    expect((await send(proof)).status).toBe(200);
  });

  test('of an easier challenge that its maker has signed is not one', async () => {
    const { proof, send } = await ask();
    const { nonce, salt, keySignature, ...rest } = proof.challenge.parameters;
    const guess = createHmac('sha256', 'a guessed key')
      .update(nonce + salt + keySignature)
      .digest('hex');
    const options = { ...rest, cost: 1, keyPrefix: '00', deriveKey, hmacSignatureSecret: guess };
    const challenge = (await createChallenge(options)) as ProofChallenge;
    const solution = await solve(challenge);
    isAskedAgain(
      await send({ challenge: { ...challenge, parameters: { ...challenge.parameters, keySignature } }, solution }),
    );
    expect((await send(proof)).status).toBe(200);
  });

  test('that is not asked for is not used up', async () => {
    const { email, network, proof } = await ask();
    const calm = { email: newEmail() };
    expect((await call(RESET, calm, { network, proof: pack(proof) })).status).toBe(200);
    expect((await call(RESET, { email }, { network, proof: pack(proof) })).status).toBe(200);
  });
});

test('challenges are limited: each takes a derivation, and a host does not use up those of its neighbors', async () => {
  const [email, network, neighbor] = [newEmail(), '2001:db8:7:1::1', '2001:db8:7:2::1'];
  await callUntilAsked(email, network);
  const { points } = LIMITS['proof-challenge'];
  for (let i = 0; i < points - 2; i += 1) await consumeLimit('proof-challenge', '2001:db8:7:1::/64');
  expect((await call(RESET, { email }, { network })).status).toBe(403);
  const refused = await call(RESET, { email }, { network });
  expect([refused.status, refused.body?.code]).toEqual([429, 'too-many-requests']);
  const other = await call(RESET, { email }, { network: neighbor });
  expect([other.status, other.body?.code]).toEqual([403, 'proof-required']);
});

describe('session creation', () => {
  const SESSION = '/api/create-user-session';
  const forged = { token: 'e30.e30.' };

  test('is slowed and then asked for a proof in a network with many failures, except for the known browsers of an account', async () => {
    const user = await createTestUser();
    const network = newNetwork();
    const jar = new CookieJar({ 'x-forwarded-for': network });
    await jar.post(app.origin + SESSION, { token: await fetchIdToken(user) });
    const { slowAfter, proofAfter } = WATCHES['failed-sign-ins'];
    const attack = async (count: number) => {
      const answers = await Promise.all(Array.from({ length: count }, () => call(SESSION, forged, { network })));
      expect(new Set(answers.map(({ body }) => body?.code))).toEqual(new Set(['token-invalid']));
    };
    const time = async (work: () => Promise<Answer>) => {
      const begin = performance.now();
      return { answer: await work(), ms: performance.now() - begin };
    };
    await attack(slowAfter + 1);
    const slowed = await time(() => call(SESSION, forged, { network }));
    expect(slowed.answer.body?.code).toBe('token-invalid');
    expect(slowed.ms).toBeGreaterThan(900);
    // A successful call is not delayed, so a learner there does not wait for the attacker.
    const learner = { token: await fetchIdToken(await createTestUser()) };
    const order: number[] = [];
    const note = ({ status }: Answer) => order.push(status);
    await Promise.all([call(SESSION, forged, { network }).then(note), call(SESSION, learner, { network }).then(note)]);
    expect(order).toEqual([200, 401]);
    await attack(proofAfter - slowAfter - 2);
    const asked = await call(SESSION, { token: await fetchIdToken(user) }, { network });
    expect([asked.status, asked.body?.code]).toEqual([403, 'proof-required']);
    // The owner is in the same network.
    const token = await fetchIdToken(user);
    const owner = await call(SESSION, { token }, { network, jar });
    expect(owner.status).toBe(200);
    // The identity provider still refuses a token that claims the known account.
    const claims = Buffer.from(JSON.stringify({ email: user.email, sub: 'x' })).toString('base64url');
    expect((await call(SESSION, { token: `e30.${claims}.` }, { network, jar })).body?.code).toBe('token-invalid');
    // A learner with a new browser succeeds.
    const newcomer = { token: await fetchIdToken(await createTestUser()) };
    const proof = pack(await solveAnswer(await call(SESSION, newcomer, { network })));
    expect((await call(SESSION, newcomer, { network, proof })).status).toBe(200);
    // Another network is not affected.
    expect((await call(SESSION, { token: await fetchIdToken(user) }, { network: newNetwork() })).status).toBe(200);
  });

  test('counts no call that was asked for a proof: a whole school may have to bring one within a minute', async () => {
    const network = newNetwork();
    for (let i = 0; i <= WATCHES['failed-sign-ins'].proofAfter; i += 1) await recordWatched('failed-sign-ins', network);
    for (let i = 1; i < LIMITS['create-session'].points; i += 1) await consumeLimit('create-session', network);
    for (let i = 0; i < 3; i += 1) expect((await call(SESSION, forged, { network })).body?.code).toBe('proof-required');
  });

  test('gives back no call that a later minute has not counted', async () => {
    const network = newNetwork();
    for (let i = 0; i <= WATCHES['failed-sign-ins'].proofAfter; i += 1) await recordWatched('failed-sign-ins', network);
    vi.useFakeTimers({ toFake: ['Date'] });
    // The calls are counted, but no proof is required before their bodies arrive.
    const begun = Array.from({ length: 20 }, () => beginCall(SESSION, forged, network));
    await expect.poll(() => countHits('create-session', network)).toBe(begun.length);
    vi.setSystemTime(Date.now() + LIMITS['create-session'].seconds * 1_000 + 1);
    for (const finish of begun) expect(await finish()).toBe(403);
    for (let i = 0; i < LIMITS['create-session'].points; i += 1) await consumeLimit('create-session', network);
    await expect(consumeLimit('create-session', network)).rejects.toMatchObject({ code: 'too-many-requests' });
  });

  test('goes on in known browsers, to a limit of their own, when a stranger has used up that of their network', async () => {
    const user = await createTestUser();
    const network = newNetwork();
    const jar = new CookieJar({ 'x-forwarded-for': network });
    await jar.post(app.origin + SESSION, { token: await fetchIdToken(user) });
    for (let i = 1; i < LIMITS['create-session'].points; i += 1) await consumeLimit('create-session', network);
    const token = await fetchIdToken(user);
    const tryIn = async (by?: CookieJar) =>
      (await call(SESSION, { token }, { network, ...(by && { jar: by }) })).status;
    const forgery = new CookieJar();
    Object.assign(forgery.cookies, { 'known-browser': 'e30.e30.e30.e30.e30' });
    expect([await tryIn(), await tryIn(forgery)]).toEqual([429, 429]);
    const { points } = LIMITS['create-session-of-browser'];
    for (let i = 0; i < points; i += 1) expect(await tryIn(jar)).toBe(200);
    expect(await tryIn(jar)).toBe(429);
  });

  test('goes on there within a limit of the network, too: cookies of known browsers can be collected', async () => {
    const user = await createTestUser();
    const network = newNetwork();
    const collected = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const jar = new CookieJar({ 'x-forwarded-for': newNetwork() });
        await jar.post(app.origin + SESSION, { token: await fetchIdToken(user) });
        return jar;
      }),
    );
    for (let i = 0; i < LIMITS['create-session'].points; i += 1) await consumeLimit('create-session', network);
    for (let i = 3; i < LIMITS['create-session-of-browsers'].points; i += 1)
      await consumeLimit('create-session-of-browsers', network);
    const tryIn = async (jar: CookieJar) => (await call(SESSION, forged, { network, jar })).status;
    expect(await Promise.all(collected.map(tryIn))).toEqual([401, 401, 401]);
    expect(await Promise.all(collected.map(tryIn))).toEqual([429, 429, 429]);
  });
});
