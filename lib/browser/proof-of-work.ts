import { PROOF_HEADER, type Proof, type ProofChallenge } from '@/lib/shared/request-headers';

/**
 * Maximum repetitions of a call. More would be needed only in unusual cases, such as an IP address that changes with
 * every call.
 */
const MAX_REPETITIONS = 3;
/** Maximum time of a proof, in milliseconds. Every device that can show the page is faster. */
const TIMEOUT_MS = 60_000;
/** Ten times the server's cost. A derivation with more rounds or a longer key could not be stopped. */
const MAX_COST = 10_000;
const MAX_KEY_LENGTH = 64;
/** Concurrent derivations. Browsers run them on a few threads outside the page's thread. */
const LANES = 4;

/** Same form as the failure in `ApiResult`. */
type TooMany = { ok: false; code: 'too-many-requests'; status: 429; retryAfter: number | null; triesLeft: null };

const repetitions = new WeakMap<RequestInit, number>();

/**
 * Repeats a call that was refused without a proof of work, with a proof. Loaded on demand.
 * @param problem the refusal, untrusted until its challenge is parsed
 * @param retryAfter seconds until no proof is required
 * @param call sends the call
 * @returns the call's result, or `too-many-requests` if no proof can be made, for example without Web Crypto
 */
export async function repeatWithProof<T>(
  problem: unknown,
  retryAfter: number | null,
  init: RequestInit,
  call: (init: RequestInit) => Promise<T>,
): Promise<T | TooMany> {
  const count = (repetitions.get(init) ?? 0) + 1;
  const { challenge } = problem as { challenge: ProofChallenge };
  const solution = count > MAX_REPETITIONS ? null : await solve(challenge).catch(() => null);
  if (solution === null) return { ok: false, code: 'too-many-requests', status: 429, retryAfter, triesLeft: null };
  const proof = btoa(JSON.stringify({ challenge, solution } satisfies Proof));
  const again = { ...init, headers: { ...init.headers, [PROOF_HEADER]: proof } };
  repetitions.set(again, count);
  return call(again);
}

/**
 * Finds the counter whose key has the challenge's prefix. @returns null if it takes too long, or the challenge is
 * unknown
 */
export async function solve({ parameters }: ProofChallenge): Promise<Proof['solution'] | null> {
  if (!isKnown(parameters)) return null;
  const { nonce, salt, cost, keyLength, keyPrefix } = parameters;
  const start = fromHex(nonce);
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt: fromHex(salt), iterations: cost };
  const derive = async (counter: number) => {
    const password = new Uint8Array(start.length + 4);
    password.set(start);
    new DataView(password.buffer).setUint32(start.length, counter);
    const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
    return toHex(new Uint8Array(await crypto.subtle.deriveBits(derivation, key, keyLength * 8)));
  };
  let next = 0;
  let solution: Proof['solution'] | null = null;
  const end = performance.now() + TIMEOUT_MS;
  const search = async () => {
    while (solution === null && performance.now() < end) {
      const counter = next++;
      const derivedKey = await derive(counter);
      if (derivedKey.startsWith(keyPrefix)) solution = { counter, derivedKey };
    }
  };
  await Promise.all(Array.from({ length: LANES }, search));
  return solution;
}

/**
 * Whether the challenge is known. A later server may require other work, and a page that was loaded before must not try
 * for a minute.
 */
function isKnown({
  algorithm,
  cost,
  keyLength,
  keyPrefix,
}: Record<keyof ProofChallenge['parameters'], unknown>): boolean {
  const isWithin = (value: unknown, max: number) => typeof value === 'number' && value > 0 && value <= max;
  return (
    algorithm === 'PBKDF2/SHA-256' &&
    isWithin(cost, MAX_COST) &&
    isWithin(keyLength, MAX_KEY_LENGTH) &&
    typeof keyPrefix === 'string'
  );
}

const fromHex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
