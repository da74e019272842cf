import type { NextApiRequest, NextApiResponse } from 'next';
import { CODE_TTL_SECONDS, sealShort, unseal } from '@/lib/server/codes';
import {
  appendCookies,
  applySharedComputerExpiry,
  buildClearFlowCookie,
  buildSetFlowCookie,
  getFlowCookies,
  type RequestCookies,
} from '@/lib/server/http';
import { env, getSealingKeys } from '@/lib/server/runtime';
import { nullOnProblem } from '@/lib/shared/problem';

/**
 * What a learner typed to register. Until the mailbox is proved, it exists only in a sealed cookie of their browser.
 * `uid`: the id that the account will have. It binds the cookie to the registration's own token. `password`: absent for
 * a registration by passkey.
 */
export type NewAccount = { uid: string; name: string; password?: string };

type Call = { req: NextApiRequest; res: NextApiResponse };

/** Keeps a new account in the browser for as long as its code is valid. */
export async function keepNewAccount({ req, res }: Call, flow: string, { uid, ...typed }: NewAccount): Promise<void> {
  const exp = Math.floor(Date.now() / 1000) + CODE_TTL_SECONDS;
  const sealed = await sealShort({ jti: uid, mark: '', payload: typed, exp }, getKeys());
  appendCookies(res, applySharedComputerExpiry(req, [buildSetFlowCookie('newAccount', flow, sealed)]));
}

/** Forgets a new account after its registration is complete. */
export function forgetNewAccount({ res }: Pick<Call, 'res'>, flow: string): void {
  appendCookies(res, [buildClearFlowCookie('newAccount', flow)]);
}

/** Reads the new accounts that this browser keeps, one for each of its registrations. */
export async function readNewAccounts(req: RequestCookies): Promise<NewAccount[]> {
  const sealed = getFlowCookies(req, 'newAccount').map(({ value }) => nullOnProblem(unseal(value, getKeys())));
  const read = await Promise.all(sealed);
  return read.flatMap((claims) => {
    const { name, password } = claims?.payload ?? {};
    return claims && name !== undefined ? [{ uid: claims.jti, name, ...(password !== undefined && { password }) }] : [];
  });
}

const getKeys = () => getSealingKeys(env().TOKEN_ENCRYPTION_SECRET, 'new-account');
