import { randomBytes, randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import { CODE_ALPHABET, CODE_LENGTH, normaliseCode } from '@/lib/account/one-time-code';
import { ApiProblem } from '@/lib/api/problem';
import { env } from '@/lib/config/env';
import { LIFETIME } from '@/lib/cookies/table';
import { sharedStore } from '../store';
import type { SharedStore } from '../store/types';
import { codeMark, sealingKey, type CodePurpose } from './keys';
import { seal, unseal, type CodeClaims } from './token';

export type { CodePurpose } from './keys';
/** What a code opens: short strings that travel, encrypted, with the token. */
type CodePayload = CodeClaims['payload'];
export type IssuedCode = { code: string; token: string };

/** Tries a code has (product decisions, 6). */
export const CODE_TRIES = 5;
/** How long a code lives, in seconds. */
export const CODE_LIFETIME = LIFETIME.veryShort;

type Surroundings = { now: number; store: SharedStore; secret: string };
const surroundings = (given: Partial<Surroundings>): Surroundings => ({
  now: given.now ?? Date.now(),
  store: given.store ?? sharedStore(),
  secret: given.secret ?? env().TOKEN_ENCRYPTION_SECRET,
});

/**
 * Makes a one-time code and the encrypted token that goes into the browser's cookie; the server keeps neither.
 * @param given `decoy` makes a token of the same shape that no code opens; `now` in milliseconds since 1970
 */
export async function issueCode(
  purpose: CodePurpose,
  payload: CodePayload,
  given: Partial<Surroundings> & { decoy?: boolean } = {},
): Promise<IssuedCode> {
  const { now, secret } = surroundings(given);
  const jti = randomUUID();
  const code = Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET.charAt(randomInt(CODE_ALPHABET.length))).join(
    '',
  );
  const mark = codeMark(secret, purpose, jti, given.decoy ? randomBytes(32).toString('hex') : code);
  const expiresAt = Math.floor(now / 1000) + CODE_LIFETIME;
  return { code, token: await seal({ jti, mark, payload, exp: expiresAt }, sealingKey(secret, purpose)) };
}

/**
 * Takes a code, once, for work that is done with it. Every call counts as a try, before the code is looked at and across
 * processes. When the work fails the code is not used up: nobody loses a right code to a failure of ours.
 * @param typed what the person typed or pasted
 * @param work what the code opens; given what it was issued for
 * @throws ApiProblem `code-missing`, `code-expired`, `code-wrong` with `triesLeft`, `code-locked` or `code-used`
 */
export async function redeemCode<T>(
  purpose: CodePurpose,
  token: string | undefined,
  typed: string,
  work: (payload: CodePayload) => Promise<T>,
  given: Partial<Surroundings> = {},
): Promise<T> {
  const { now, store, secret } = surroundings(given);
  const { jti, mark, payload } = await openToken(purpose, token, { now, secret });
  const [triesKey, usedKey] = [`code-tries:${jti}`, `code-used:${jti}`];
  const tries = await store.increment(triesKey, CODE_LIFETIME);
  if (tries > CODE_TRIES) throw new ApiProblem('code-locked');
  if (!isSame(codeMark(secret, purpose, jti, normaliseCode(typed)), mark))
    throw new ApiProblem('code-wrong', { triesLeft: CODE_TRIES - tries });
  if (!(await store.setIfAbsent(usedKey, '1', CODE_LIFETIME))) throw new ApiProblem('code-used');
  try {
    return await work(payload);
  } catch (error) {
    await Promise.all([store.delete(usedKey), store.delete(triesKey)]);
    throw error;
  }
}

/**
 * What a token was issued for, and when, without touching its code.
 * @returns `issuedAt` in milliseconds since 1970
 * @throws ApiProblem `code-missing` or `code-expired`
 */
export async function readToken(
  purpose: CodePurpose,
  token: string | undefined,
  given: Partial<Surroundings> = {},
): Promise<{ payload: CodePayload; issuedAt: number }> {
  const { payload, exp } = await openToken(purpose, token, surroundings(given));
  return { payload, issuedAt: (exp - CODE_LIFETIME) * 1000 };
}

async function openToken(
  purpose: CodePurpose,
  token: string | undefined,
  { now, secret }: Pick<Surroundings, 'now' | 'secret'>,
): Promise<CodeClaims> {
  if (!token) throw new ApiProblem('code-missing');
  return unseal(token, sealingKey(secret, purpose), now);
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
