import type { IncomingMessage } from 'node:http';
import { randomInt } from 'node:crypto';
import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import * as z from 'zod/mini';
import { ApiProblem } from '@/lib/shared/problem';
import { PROOF_HEADER, type Proof, type ProofChallenge } from '@/lib/shared/request-headers';
import { countProof, deriveKeys, digest, env, getClientAddress, getRouteName } from '@/lib/server/runtime';
import {
  consumeLimit,
  getLimit,
  getStore,
  recordSoftHit,
  recordWatched,
  type LimitName,
  type WatchName,
} from '@/lib/server/storage';
import { decideGuard, type GuardFacts } from '@/lib/server/policy';

/**
 * Rounds of a key derivation. They cost more than the browser's function call itself, and about a third of a
 * millisecond on the server.
 */
const ROUNDS = 1_000;
const CHALLENGE_TTL_SECONDS = 300;
/** A challenge with its solution has about 1,000 bytes. */
const MAX_HEADER_LENGTH = 2_048;
/** How long a refusal is held if no proof is required yet. */
const SLOW_MS = 1_000;
/** Maximum refusals that a process holds. Others are sent at once, because a flood must not fill the memory. */
const MAX_HELD = 200;

/** With `PROOF_OF_WORK=0`, no call is counted, delayed or asked for a proof. */
export const isProofOn = (): boolean => env().PROOF_OF_WORK > 0;

type GuardedRequest = Pick<IncomingMessage, 'headers' | 'socket' | 'url'>;
/** A key of a limit with `proofAfter`, or of a watch. */
export type SoftLimit = { limit: LimitName; key: string } | { watch: WatchName; key: string };

/**
 * Counts a call against soft limits, and requires a proof of work if any of them is passed.
 * @param options `isKnownBrowser`: other clients' calls do not count against this browser
 * @throws ApiProblem `proof-required` with a challenge, or `too-many-requests` if the client has requested too many
 *   challenges
 */
export async function requireProofBeyond(
  req: GuardedRequest,
  limits: readonly SoftLimit[],
  { isKnownBrowser = false }: { isKnownBrowser?: boolean } = {},
): Promise<void> {
  if (!isProofOn()) return;
  const waits = await Promise.all(
    limits.map((soft) => ('watch' in soft ? recordWatched(soft.watch, soft.key) : recordSoftHit(soft.limit, soft.key))),
  );
  const retryAfter = Math.max(0, ...waits);
  await guardCall(req, { passed: retryAfter > 0 ? 'soft' : 'none', isKnownBrowser }, retryAfter);
}

/**
 * Applies the decision of `decideGuard` to a call.
 * @param retryAfter seconds until no proof is required
 * @returns `slow` if the caller must hold its refusal (`holdRefusal`)
 * @throws ApiProblem `proof-required` with a challenge, or `too-many-requests` if the client has requested too many
 *   challenges
 */
export async function guardCall(
  req: GuardedRequest,
  { passed, isKnownBrowser }: Pick<GuardFacts, 'passed' | 'isKnownBrowser'>,
  retryAfter: number,
): Promise<'pass' | 'slow'> {
  const facts = { isOn: isProofOn(), passed, isKnownBrowser };
  // Do not redeem a proof that is not required.
  const isAsked = decideGuard({ ...facts, proof: 'none' }) === 'ask';
  const proof = isAsked ? await readProof(req) : 'none';
  const decision = decideGuard({ ...facts, proof });
  if (decision !== 'ask') return decision;
  countProof(proof === 'refused' ? 'refused' : 'asked');
  const network = getNetwork(req);
  await consumeLimit('proof-challenge', getClientAddress(req, getLimit('proof-challenge').ipv6Prefix));
  const challenge = await issueProofChallenge(getRouteName(req.url ?? ''), network);
  const detail =
    proof === 'refused'
      ? 'This proof of work is expired, was used, or is not for this call: solve the challenge'
      : `Solve the challenge, and repeat the call with the header ${PROOF_HEADER}`;
  throw new ApiProblem('proof-required', { challenge, retryAfter, detail });
}

/** Creates the challenge for a call of a route from a network. */
export async function issueProofChallenge(route: string, network: string): Promise<ProofChallenge> {
  const [{ hmacSignatureSecret, hmacKeySignatureSecret } = NO_KEYS] = getKeys();
  const challenge = await createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: ROUNDS,
    // The server chooses the counter. So a browser never needs more derivations than this, and the server needs none to
    // verify the proof.
    counter: randomInt(env().PROOF_OF_WORK),
    deriveKey,
    data: { call: bindTo(route, network) },
    expiresAt: Math.floor(Date.now() / 1000) + CHALLENGE_TTL_SECONDS,
    hmacSignatureSecret,
    hmacKeySignatureSecret,
  });
  return challenge as ProofChallenge;
}

const proofs = new WeakMap<GuardedRequest, Promise<'none' | 'accepted' | 'refused'>>();

/** Reads and redeems the proof of a request. All checks of the request share the result. */
function readProof(req: GuardedRequest): Promise<'none' | 'accepted' | 'refused'> {
  let proof = proofs.get(req);
  if (!proof) {
    proof = redeemProof(req);
    proofs.set(req, proof);
  }
  return proof;
}

const hex = z.string().check(z.regex(/^(?:[0-9a-f]{2}){1,64}$/));
export const challengeSchema = z.strictObject({
  parameters: z.strictObject({
    algorithm: z.literal('PBKDF2/SHA-256'),
    nonce: hex,
    salt: hex,
    cost: z.int(),
    keyLength: z.int(),
    keyPrefix: hex,
    keySignature: hex,
    expiresAt: z.int().check(z.describe('Seconds since 1970')),
    data: z.strictObject({ call: z.string() }),
  }),
  signature: hex,
});
const proofSchema = z.strictObject({
  challenge: challengeSchema,
  // Browsers also send how long the solution took. It is not read.
  solution: z.object({ counter: z.int(), derivedKey: hex }),
});

async function redeemProof(req: GuardedRequest): Promise<'none' | 'accepted' | 'refused'> {
  const header = req.headers[PROOF_HEADER];
  if (header === undefined) return 'none';
  const proof = typeof header === 'string' ? parseProof(header) : null;
  if (proof === null || !(await isSolved(req, proof))) return 'refused';
  // The signature identifies the challenge. The mark outlives the challenge, even if clocks differ.
  const isFirst = await getStore().setIfAbsent(`proof:${proof.challenge.signature}`, '1', CHALLENGE_TTL_SECONDS * 2);
  if (isFirst) countProof('accepted');
  return isFirst ? 'accepted' : 'refused';
}

function parseProof(header: string): Proof | null {
  if (header.length > MAX_HEADER_LENGTH) return null;
  try {
    return z.parse(proofSchema, JSON.parse(Buffer.from(header, 'base64').toString('utf8')));
  } catch {
    return null;
  }
}

async function isSolved(req: GuardedRequest, { challenge, solution }: Proof): Promise<boolean> {
  if (challenge.parameters.data.call !== bindTo(getRouteName(req.url ?? ''), getNetwork(req))) return false;
  for (const keys of getKeys()) {
    const { verified } = await verifySolution({ challenge, solution, deriveKey, ...keys });
    if (verified) return true;
  }
  return false;
}

/** Binds a challenge to the /48, because a learner's address may change within its network. */
const getNetwork = (req: GuardedRequest) => getClientAddress(req, 48);
const bindTo = (route: string, network: string) => digest(`${route} ${network}`);

type Keys = { hmacSignatureSecret: string; hmacKeySignatureSecret: string };
const NO_KEYS: Keys = { hmacSignatureSecret: '', hmacKeySignatureSecret: '' };

/** Derives keys from each secret in force. The first key signs, and all keys verify. */
function getKeys(): Keys[] {
  const derive = (use: string) =>
    deriveKeys(env().TOKEN_ENCRYPTION_SECRET, `proof-of-work/${use}`).map((key) => Buffer.from(key).toString('hex'));
  const ofKeys = derive('key');
  return derive('challenge').map((secret, i) => ({
    hmacSignatureSecret: secret,
    hmacKeySignatureSecret: ofKeys[i] ?? '',
  }));
}

let held = 0;

/** Holds a refusal for a moment. A success is not held, so a learner at an attacker's address does not wait. */
export async function holdRefusal(): Promise<void> {
  if (held >= MAX_HELD) return;
  held += 1;
  await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
  held -= 1;
}
