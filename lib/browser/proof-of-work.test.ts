import { afterEach, expect, it, vi } from 'vitest';
import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { ApiProblem } from '@/lib/shared/problem';
import { PROOF_HEADER, type Proof, type ProofChallenge } from '@/lib/shared/request-headers';
import { postJson } from './api-client';

const secrets = { hmacSignatureSecret: 'of the challenge', hmacKeySignatureSecret: 'of its key' };

function createSample(counter: number): Promise<ProofChallenge> {
  const made = createChallenge({ algorithm: 'PBKDF2/SHA-256', cost: 10, counter, deriveKey, ...secrets });
  return made as Promise<ProofChallenge>;
}

/** Simulates a server that requests proofs. @returns the headers of each call */
function serve(answer: (proof: string | undefined) => Response | Promise<Response>) {
  const calls: (string | undefined)[] = [];
  vi.stubGlobal('fetch', (_path: string, { headers }: { headers: Record<string, string> }) => {
    calls.push(headers[PROOF_HEADER]);
    return Promise.resolve(answer(headers[PROOF_HEADER]));
  });
  return calls;
}

const ask = (challenge: ProofChallenge) =>
  Response.json(new ApiProblem('proof-required', { challenge }).toJSON(), {
    status: 403,
    headers: { 'retry-after': '840' },
  });

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([0, 1, 70])('repeats a call with its proof (counter %i)', async (counter) => {
  const challenge = await createSample(counter);
  const calls = serve((proof) => (proof === undefined ? ask(challenge) : Response.json({ done: true })));
  expect(await postJson('/api/example', { a: 1 })).toEqual({ ok: true, status: 200, data: { done: true } });
  expect(calls[0]).toBeUndefined();
  const proof = JSON.parse(atob(calls[1] ?? '')) as Proof;
  expect(proof.solution.counter).toBe(counter);
  expect(await verifySolution({ ...proof, deriveKey, ...secrets })).toMatchObject({ verified: true });
});

it('solves a second challenge when the first proof was too late, and gives up where none is accepted', async () => {
  const challenge = await createSample(3);
  let count = 0;
  serve(() => ((count += 1) <= 2 ? ask(challenge) : Response.json({})));
  expect(await postJson('/api/example')).toMatchObject({ ok: true });
  const calls = serve(() => ask(challenge));
  expect(await postJson('/api/example')).toMatchObject({ ok: false, code: 'too-many-requests', retryAfter: 840 });
  expect(calls).toHaveLength(4);
});

it('says how long to wait where the browser can make none', async () => {
  const challenge = await createSample(3);
  const calls = serve(() => ask(challenge));
  vi.stubGlobal('crypto', {});
  const answer = await postJson('/api/example');
  expect(answer).toMatchObject({ ok: false, code: 'too-many-requests', retryAfter: 840 });
  expect(calls).toHaveLength(1);
});

it.each([
  { algorithm: 'PBKDF2/SHA-512' },
  { cost: 1e9 },
  { cost: '1' },
  { keyLength: 1e9 },
  { keyPrefix: undefined },
  { nonce: undefined },
  { salt: 7 },
])('does no work that this page does not know (%j)', async (change) => {
  const challenge = await createSample(3);
  const calls = serve(() => ask({ ...challenge, parameters: { ...challenge.parameters, ...change } as never }));
  expect(await postJson('/api/example')).toMatchObject({ ok: false, code: 'too-many-requests', retryAfter: 840 });
  expect(calls).toHaveLength(1);
});

it.each([undefined, null, {}, 'x'])('does not fail with %j in place of a challenge', async (challenge) => {
  serve(() => ask(challenge as never));
  expect(await postJson('/api/example')).toMatchObject({ ok: false, code: 'too-many-requests', retryAfter: 840 });
});
