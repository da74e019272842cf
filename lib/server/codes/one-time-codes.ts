import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { CODE_ALPHABET, CODE_LENGTH, normalizeCode } from '@/lib/shared/account/typed-codes';
import { ApiProblem } from '@/lib/shared/problem';
import { env, setRequestAccount, codeHmac, getSealingKeys, isStoredCode, type CodePurpose } from '@/lib/server/runtime';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { getStore } from '@/lib/server/storage';
import { seal, unseal, type CodeClaims } from './token';

export type { FlowPurpose } from '@/lib/server/runtime';
/** The data a code is issued for: short strings carried, encrypted, in the token. */
type CodePayload = CodeClaims['payload'];
export type IssuedCode = { code: string; token: string };

/** Maximum number of tries per code (docs/product.md#screens). */
export const MAX_CODE_TRIES = 5;
/** Bytes of a flow's id: it is no secret, but no two flows may share one. */
const FLOW_ID_BYTES = 9;

/** Creates the id of a new flow. */
export function createFlowId(): string {
  return randomBytes(FLOW_ID_BYTES).toString('base64url');
}

/** Lifetime of a code, in seconds. */
export const CODE_TTL_SECONDS = LIFETIME.veryShort;

const getSecrets = () => env().TOKEN_ENCRYPTION_SECRET;

/**
 * Creates a one-time code and the encrypted token for the browser's cookie; the server stores neither.
 * @param options `flow`: the flow that the code belongs to, a new one by default; `browser`: the only one that the token counts in
 */
export async function issueCode(
  purpose: CodePurpose,
  payload: CodePayload,
  { flow, browser }: { flow?: string; browser?: string } = {},
): Promise<IssuedCode> {
  const jti = randomUUID();
  const code = Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET.charAt(randomInt(CODE_ALPHABET.length))).join(
    '',
  );
  const mark = codeHmac(getSecrets(), purpose, jti, code);
  const expiresAt = Math.floor(Date.now() / 1000) + CODE_TTL_SECONDS;
  const claims = { jti, mark, payload, flow: flow ?? jti, browser, exp: expiresAt };
  return { code, token: await seal(claims, getSealingKeys(getSecrets(), purpose)) };
}

/**
 * Redeems a code, once, for work that is done with it. Every call counts as a try, before the code is compared and
 * across processes. When the work fails, the code is not used up: a server error must not cost the user a valid code.
 * @param typed the user's typed or pasted input
 * @param work runs when the code is valid; given the payload it was issued for
 * @throws ApiProblem `code-missing`, `code-expired`, `code-wrong` with `triesLeft`, `code-locked` or `code-used`; `store-unavailable`
 *   when the try could not be counted
 */
export async function redeemCode<T>(
  purpose: CodePurpose,
  token: string | undefined,
  typed: string,
  work: (payload: CodePayload) => Promise<T>,
): Promise<T> {
  const store = getStore();
  const { jti, mark, payload } = await openToken(purpose, token);
  // A wrong code is about an account as well.
  if (payload.uid) setRequestAccount(payload.uid);
  const [triesKey, usedKey] = [`code-tries:${jti}`, getUsedKey(jti)];
  const tries = await store.countTry(triesKey, CODE_TTL_SECONDS);
  if (tries > MAX_CODE_TRIES) throw new ApiProblem('code-locked');
  if (!isStoredCode(getSecrets(), purpose, jti, normalizeCode(typed), mark))
    throw new ApiProblem('code-wrong', { triesLeft: MAX_CODE_TRIES - tries });
  if (!(await store.setIfAbsent(usedKey, '1', CODE_TTL_SECONDS))) throw new ApiProblem('code-used');
  try {
    return await work(payload);
  } catch (error) {
    await Promise.all([store.delete(usedKey), store.delete(triesKey)]);
    throw error;
  }
}

/** Marks a token's code as used without redeeming it, e.g. when the flow was completed by the emailed link. */
export async function invalidateCode(purpose: CodePurpose, token: string): Promise<void> {
  const { jti } = await openToken(purpose, token);
  await getStore().set(getUsedKey(jti), '1', CODE_TTL_SECONDS);
}

/** What a browser's token says. */
export type ReadToken = {
  payload: CodePayload;
  /** Milliseconds since 1970. */
  issuedAt: number;
  flow: string;
  /** Null in one from before 2026-11-28. */
  browser: string | null;
  /** The code was redeemed: the flow is complete. */
  isUsed: boolean;
};

/**
 * Reads a token without counting a try.
 * @throws ApiProblem `code-missing` or `code-expired`
 */
export async function readToken(purpose: CodePurpose, token: string | undefined): Promise<ReadToken> {
  const { payload, exp, jti, flow = jti, browser = null } = await openToken(purpose, token);
  const isUsed = (await getStore().get(getUsedKey(jti))) !== null;
  return { payload, issuedAt: (exp - CODE_TTL_SECONDS) * 1000, flow, browser, isUsed };
}

/** @throws ApiProblem `code-used` when the flow is complete */
export function assertUnused<T extends Pick<ReadToken, 'isUsed'>>(read: T): T {
  if (read.isUsed) throw new ApiProblem('code-used');
  return read;
}

const getUsedKey = (jti: string) => `code-used:${jti}`;

async function openToken(purpose: CodePurpose, token: string | undefined): Promise<CodeClaims> {
  if (!token) throw new ApiProblem('code-missing');
  return unseal(token, getSealingKeys(getSecrets(), purpose));
}
