import type { KoaContextWithOIDC } from 'oidc-provider';
import { randomUUID } from 'node:crypto';
import { seal, unseal } from '@/lib/server/codes';
import { env, getSealingKeys } from '@/lib/server/runtime';
import { LOGOUT_RETURN } from '@/lib/shared/oidc-path';
import { paths } from '@/lib/shared/paths';

/** For the user to decide, in seconds. */
const TTL_SECONDS = 60 * 60;

const getKeys = () => getSealingKeys(env().TOKEN_ENCRYPTION_SECRET, 'logout-return');

/**
 * A client's logout (OpenID Connect RP-Initiated Logout 1.0): our own page asks the user, by a form that no other site can send, and leads to
 * the client afterwards. Sealed, so that it leads to registered addresses alone.
 */
export async function sendToSignOut(context: KoaContextWithOIDC): Promise<void> {
  const { params } = context.oidc;
  const { post_logout_redirect_uri: uri, state } = (params ?? {}) as Record<string, string | undefined>;
  const address = new URL(paths.signOut, env().NEXT_PUBLIC_APP_ORIGIN);
  if (uri !== undefined) {
    const to = new URL(uri);
    if (state !== undefined) to.searchParams.set('state', state);
    const exp = Math.floor(Date.now() / 1000) + TTL_SECONDS;
    const sealed = await seal({ jti: randomUUID(), mark: '', payload: { to: to.href }, exp }, getKeys());
    address.searchParams.set(LOGOUT_RETURN, sealed);
  }
  context.status = 303;
  context.redirect(address.href);
}

/** Where a client's logout leads. @throws ApiProblem `code-expired`, `code-missing` */
export async function readLogoutReturn(sealed: unknown): Promise<string> {
  const { payload } = await unseal(typeof sealed === 'string' ? sealed : '', getKeys(), Date.now());
  return payload.to ?? '';
}
