import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { solve } from '@/lib/browser/proof-of-work';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import { PROOF_HEADER, type Proof, type ProofChallenge } from '@/lib/shared/request-headers';
import { post, type Answer, type CookieJar } from './client';

export const RESET = '/api/password-reset';

let networks = 0;
/** Returns a client network that has not called yet. */
export const newNetwork = () => `198.51.${String(Math.floor((networks += 1) / 250))}.${String(networks % 250)}`;
export const newEmail = () => `${randomUUID().slice(0, 12)}@campus.test`;

export type CallOptions = { network: string; proof?: string; jar?: CookieJar };
/** Calls an app behind a trusted proxy from a network. @param origin origin of the app */
export function call(
  origin: string,
  route: string,
  body: unknown,
  { network, proof, jar }: CallOptions,
): Promise<Answer> {
  const headers = {
    'x-forwarded-for': network,
    ...(jar && { cookie: jar.cookieHeader }),
    ...(proof !== undefined && { [PROOF_HEADER]: proof }),
  };
  return post(origin + route, { body, headers });
}

export const pack = (proof: unknown) => Buffer.from(JSON.stringify(proof)).toString('base64');

/** Computes the proof that a response requests, as a browser does. */
export async function solveAnswer({ body }: Answer): Promise<Proof> {
  const challenge = body?.challenge as ProofChallenge;
  const solution = await solve(challenge);
  if (solution === null) throw new Error('There is no solution');
  return { challenge, solution };
}

/** Calls with an email until a proof is requested. @returns the response that requests it */
export async function callUntilAsked(origin: string, email: string, network: string): Promise<Answer> {
  for (let i = 0; i < LIMITS['email-to-address'].proofAfter; i += 1)
    expect((await call(origin, RESET, { email }, { network })).status).toBe(200);
  const asked = await call(origin, RESET, { email }, { network });
  expect([asked.status, asked.body?.code]).toEqual([403, 'proof-required']);
  return asked;
}
