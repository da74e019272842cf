import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { CODE_ALPHABET, CODE_LENGTH, normalizeCode } from '@/lib/shared/account/typed-codes';
import { ApiProblem } from '@/lib/shared/problem';
import { env, setRequestAccount, codeHmac, getSealingKeys, isStoredCode, type CodePurpose } from '@/lib/server/runtime';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { getStore, spendOnce } from '@/lib/server/storage';
import { seal, unseal, type CodeClaims } from './token';

export type { FlowPurpose } from '@/lib/server/runtime';
/** The data of a code: short strings that its token contains, encrypted. */
type CodePayload = CodeClaims['payload'];
export type IssuedCode = { code: string; token: string };

/** Maximum number of tries for a code (docs/product.md#screens). */
export const MAX_CODE_TRIES = 5;
/** Bytes of a flow's id. It is not secret, but must be unique. */
const FLOW_ID_BYTES = 9;

/** Creates the id of a new flow. */
export function createFlowId(): string {
  return randomBytes(FLOW_ID_BYTES).toString('base64url');
}

/** Lifetime of a code, in seconds. */
export const CODE_TTL_SECONDS = LIFETIME.veryShort;

const getSecrets = () => env().TOKEN_ENCRYPTION_SECRET;

/**
 * Creates a one-time code and the encrypted token for the browser's cookie. The server stores neither.
 * @param options `flow`: the code's flow, by default a new flow; `browser`: the only browser that may use the token
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
 * Redeems a code once for the given work. Every call counts as a try, before the comparison and across processes. If
 * the work fails, the code stays valid, because a server error must not cost the user a code.
 * @param typed the user's typed or pasted input
 * @param work runs if the code is valid, with the code's payload
 * @throws ApiProblem `code-missing`, `code-expired`, `code-wrong` with `triesLeft`, `code-locked` or `code-used`;
 *   `store-unavailable` if the try could not be counted; `records-unavailable`
 */
export async function redeemCode<T>(
  purpose: CodePurpose,
  token: string | undefined,
  typed: string,
  work: (payload: CodePayload) => Promise<T>,
): Promise<T> {
  const store = getStore();
  const { jti, mark, payload } = await openToken(purpose, token);
  // A wrong code is also a request about the account.
  if (payload.uid) setRequestAccount(payload.uid);
  const [triesKey, usedKey] = [`code-tries:${jti}`, getUsedKey(jti)];
  const tries = await store.countTry(triesKey, CODE_TTL_SECONDS);
  if (tries > MAX_CODE_TRIES) throw new ApiProblem('code-locked');
  if (!isStoredCode(getSecrets(), purpose, jti, normalizeCode(typed), mark))
    throw new ApiProblem('code-wrong', { triesLeft: MAX_CODE_TRIES - tries });
  if (await isMarked(jti)) throw new ApiProblem('code-used');
  const spent = await spendOnce(`code-spent:${jti}`, CODE_TTL_SECONDS);
  if (spent === null) throw new ApiProblem('code-used');
  await store.set(usedKey, '1', CODE_TTL_SECONDS);
  try {
    return await work(payload);
  } catch (error) {
    await Promise.all([spent.giveBack(), store.delete(usedKey), store.delete(triesKey)]);
    throw error;
  }
}

/** Marks a token's code as used without redeeming it, for example after the emailed link completed the flow. */
export async function invalidateCode(purpose: CodePurpose, token: string): Promise<void> {
  const { jti } = await openToken(purpose, token);
  await getStore().set(getUsedKey(jti), '1', CODE_TTL_SECONDS);
}

/** The contents of a browser's token. */
export type ReadToken = {
  payload: CodePayload;
  /** Milliseconds since 1970. */
  issuedAt: number;
  flow: string;
  /** Null in tokens from before 2026-11-28. */
  browser: string | null;
  /** Whether the code was redeemed, so that the flow is complete. */
  isUsed: boolean;
};

/**
 * Reads a token without counting a try.
 * @throws ApiProblem `code-missing` or `code-expired`
 */
export async function readToken(purpose: CodePurpose, token: string | undefined): Promise<ReadToken> {
  const { payload, exp, jti, flow = jti, browser = null } = await openToken(purpose, token);
  const isUsed = await isMarked(jti);
  return { payload, issuedAt: (exp - CODE_TTL_SECONDS) * 1000, flow, browser, isUsed };
}

/** @throws ApiProblem `code-used` if the flow is complete */
export function assertUnused<T extends Pick<ReadToken, 'isUsed'>>(read: T): T {
  if (read.isUsed) throw new ApiProblem('code-used');
  return read;
}

const getUsedKey = (jti: string) => `code-used:${jti}`;

/**
 * Whether a token's flow is complete. This is only for pages and early checks. The database decides whether a code can
 * be redeemed.
 */
const isMarked = async (jti: string): Promise<boolean> => (await getStore().get(getUsedKey(jti))) !== null;

async function openToken(purpose: CodePurpose, token: string | undefined): Promise<CodeClaims> {
  if (!token) throw new ApiProblem('code-missing');
  return unseal(token, getSealingKeys(getSecrets(), purpose));
}
