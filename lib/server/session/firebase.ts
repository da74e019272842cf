import type { DecodedIdToken, UserRecord } from 'firebase-admin/auth';
import { ApiProblem } from '@/lib/api/problem';
import { reportError } from '@/lib/sentry/report';
import { SESSION } from '@/lib/session/contract';
import { mayVouch } from '../directory';
import { consume } from '../limits';
import { identityAdmin } from './admin';
import { LEGACY_GATE, legacyStatusOf } from '@/lib/account/legacy';
import { env } from '@/lib/config/env';
import { accessLevelOf, openedSessionCookies } from './cookies';
import { isEnded, markEnded } from './ended';
import { knowledgeOf, liveSessionOf } from './liveness';
import { askProvider } from './provider-errors';
import { sidOf } from './sid';
import { checkTokenAge } from './token-age';
import type { LiveSession, SessionBackend } from './types';

/** Sessions as Firebase session cookies. */
export function firebaseBackend(mainDomain: string): SessionBackend {
  return { create: (token) => create(token, mainDomain), check, end };
}

async function create(token: string, mainDomain: string): Promise<string[]> {
  const decoded = await askProvider(identityAdmin().verifyIdToken(token));
  checkTokenAge(decoded.iat);
  await consume('create-session-of-account', decoded.uid);
  const [user, cookie] = await Promise.all([askProvider(identityAdmin().getUser(decoded.uid)), createCookie(token)]);
  checkStanding(decoded, user);
  await checkVoucher(decoded, user);
  const accessLevel = accessLevelOf(user.customClaims);
  const legacyStatus = legacyStatusOf(user.customClaims);
  return openedSessionCookies({ cookie, sid: sidOf(cookie), uid: decoded.uid, accessLevel, legacyStatus }, mainDomain);
}

/** @throws ApiProblem for an account that may not have a session, or not by this token */
function checkStanding(decoded: DecodedIdToken, user: UserRecord): void {
  if (user.disabled) throw new ApiProblem('user-disabled');
  const validAfter = user.tokensValidAfterTime ? Date.parse(user.tokensValidAfterTime) : 0;
  if (decoded.auth_time * 1000 < validAfter) throw new ApiProblem('token-revoked');
  const byPassword = decoded.firebase.sign_in_provider === 'password';
  if (byPassword && !user.emailVerified) throw new ApiProblem('email-not-verified');
  const gate = LEGACY_GATE[env().NEXT_PUBLIC_ROLLOUT_MODE];
  if (byPassword && gate && legacyStatusOf(user.customClaims) === 'legacy') throw new ApiProblem(gate);
}

/**
 * A provider that speaks for an address it has no business with gets nobody in, and loses its hold on the account that
 * the identity provider has already given it (docs/adr/0011).
 */
async function checkVoucher(decoded: DecodedIdToken, user: UserRecord): Promise<void> {
  const provider = decoded.firebase.sign_in_provider;
  if (await mayVouch(provider, user.email)) return;
  await askProvider(identityAdmin().updateUser(user.uid, { providersToUnlink: [provider] }));
  await askProvider(identityAdmin().revokeRefreshTokens(user.uid));
  reportError(new Error('A provider spoke for an address outside its domains'), { provider, uid: user.uid });
  throw new ApiProblem('invalid-enterprise-domain');
}

/**
 * Two sign-ins within a second make the same cookie. If that one was ended in between, a second less of lifetime makes
 * another one.
 */
async function createCookie(token: string, shorterBy = 0): Promise<string> {
  const expiresIn = (SESSION.length - shorterBy) * 1000;
  const cookie = await askProvider(identityAdmin().createSessionCookie(token, { expiresIn }));
  if (shorterBy < 3 && (await isEnded(sidOf(cookie)))) return createCookie(token, shorterBy + 1);
  return cookie;
}

async function check(cookie: string): Promise<LiveSession> {
  const asked = knowledgeOf(cookie);
  const isNew = asked instanceof Promise;
  // Ended is ended, even while the provider cannot be asked.
  if (isNew) asked.catch(() => undefined);
  if (await isEnded(isNew ? sidOf(cookie) : asked.sid)) throw new ApiProblem('session-required');
  return liveSessionOf(isNew ? await asked : asked);
}

async function end(cookie: string): Promise<void> {
  const sid = sidOf(cookie);
  try {
    const { exp } = await askProvider(identityAdmin().verifySessionCookie(cookie));
    await markEnded(sid, exp);
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    // Not genuine or over already: nothing to end. Undecidable: ended all the same, for as long as it could live.
    if (error.code === 'provider-unavailable') await markEnded(sid, Date.now() / 1000 + SESSION.length);
  }
}
