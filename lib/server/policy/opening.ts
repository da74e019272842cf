import type { ProblemCode } from '@/lib/shared/problem';

/**
 * Decides whether a sign-in that the account policy accepts (sign-in.ts) opens a session, continues the browser's present one, or
 * neither (docs/adr/0027).
 */
export type OpeningFacts = {
  /**
   * `fresh-proof`: the user has authenticated within 5 minutes (`isFreshSignIn`). `old-proof`: an ID token of an older sign-in, from this browser's
   * SDK or from a custom token. `renewal`: no token, the session's own cookie. `replacement`: our server revokes all
   * sessions of the account for a user who gave a proof, or is about to. `step-up`: the user of the session's cookie has just shown the second factor.
   */
  evidence: 'fresh-proof' | 'old-proof' | 'renewal' | 'replacement' | 'step-up';
  records: 'none' | 'here' | 'away';
  /**
   * The session of the browser's cookie. `none`: no cookie, or not of this account; `unrecorded`: genuine and not ended, but
   * opened before there were records, or while the database was away. While there are no records to ask, never `live`.
   */
  session: 'none' | 'live' | 'ended' | 'unrecorded';
  /**
   * Whether the browser has the secret of the device of a live session. `keeps-none`: it is a shared computer, and so was that of the
   * session.
   */
  device: 'same' | 'other' | 'keeps-none';
  /** The token is of the same proof as the session. */
  isSameProof: boolean;
  /** The owner ended, from another session, a session of the same proof. */
  isProofEnded: boolean;
};

export type OpeningDecision =
  /** `open`: a sign-in; `adopt`: the browser's session gets its record; `unrecorded`: a cookie without a record. */
  { outcome: 'open' | 'continue' | 'adopt' | 'unrecorded' } | { outcome: 'refuse'; code: ProblemCode };

const refuse = (code: ProblemCode): OpeningDecision => ({ outcome: 'refuse', code });

export function decideOpening(facts: OpeningFacts): OpeningDecision {
  const isOfCookie = facts.evidence === 'renewal' || facts.evidence === 'step-up';
  if (facts.records === 'none') return isOfCookie ? refuse('not-found') : { outcome: 'unrecorded' };
  if (facts.records === 'away') return decideWithoutDatabase(facts);
  switch (facts.evidence) {
    case 'replacement':
      return decideOnReplacement(facts);
    case 'fresh-proof':
      return decideOnFreshProof(facts);
    case 'old-proof':
      return decideOnOldProof(facts);
    case 'renewal':
      return decideOnRenewal(facts);
    case 'step-up':
      return decideOnStepUp(facts);
  }
}

/** Whether the session of an old proof was ended is unknown: its cookie goes on, but gets no successor. */
function decideWithoutDatabase({ evidence }: OpeningFacts): OpeningDecision {
  const isProof = evidence === 'fresh-proof' || evidence === 'replacement';
  return isProof ? { outcome: 'unrecorded' } : refuse('records-unavailable');
}

function decideOnFreshProof({ session, device, isSameProof, isProofEnded }: OpeningFacts): OpeningDecision {
  // A live session was not ended: what was is another one, between whose proofs this one happens to be.
  if (isSameProof && session === 'live' && device !== 'other') return { outcome: 'continue' };
  // For 5 minutes, the SDK of a browser that was signed out from elsewhere still has tokens of a fresh proof.
  if (isProofEnded) return refuse('recent-login-required');
  if (!isSameProof) return { outcome: 'open' };
  return { outcome: session === 'unrecorded' ? 'adopt' : 'open' };
}

/** The refresh token of a browser outlives its session: alone it opens none. */
function decideOnOldProof({ session, device }: OpeningFacts): OpeningDecision {
  if (session === 'unrecorded') return { outcome: 'adopt' };
  return session === 'live' && device !== 'other' ? { outcome: 'continue' } : refuse('recent-login-required');
}

/** `not-found` leads the browser to renew with an ID token: without a secret, a copied cookie would renew itself for ever. */
function decideOnRenewal({ session, device }: OpeningFacts): OpeningDecision {
  if (session === 'unrecorded') return refuse('not-found');
  if (session !== 'live') return refuse('session-required');
  if (device === 'keeps-none') return refuse('not-found');
  return device === 'same' ? { outcome: 'continue' } : refuse('recent-login-required');
}

/** Asked before the revocation, too: afterwards the session has ended, and its browser is not known any more. */
function decideOnReplacement({ session, device }: OpeningFacts): OpeningDecision {
  return session === 'live' && device === 'other' ? refuse('recent-login-required') : { outcome: 'open' };
}

/** A copied cookie does not become a session of another browser, whatever is shown there. */
function decideOnStepUp({ session, device }: OpeningFacts): OpeningDecision {
  if (session === 'unrecorded') return { outcome: 'adopt' };
  if (session !== 'live') return refuse('session-required');
  return device === 'other' ? refuse('recent-login-required') : { outcome: 'continue' };
}

/**
 * Decides which secret a browser is known by from its next session of an account on (docs/adr/0035). A `device` cookie without the prefix
 * `__Host-` is of the time before it: of this app, or planted by another host of the main domain, which then knows its value.
 */
export type DeviceFacts = {
  /** `both`: one with the prefix, and a plain one. */
  cookies: 'none' | 'prefixed' | 'plain' | 'both';
  /** A shared computer keeps no secret. */
  isShared: boolean;
  /**
   * `unknown`: the account has no device with the plain secret; otherwise the live session of that device, `own` when the request has a
   * cookie of it.
   */
  session: 'unknown' | 'none' | 'own' | 'other';
};

/**
 * `keep`: its secret; `adopt`: the device of the plain secret, which gets a new secret, so that the plain one is worth nothing from then
 * on; `new`: a new device with a new secret; `none`: no secret.
 */
type DeviceDecision = 'keep' | 'adopt' | 'new' | 'none';

export function decideDevice({ cookies, isShared, session }: DeviceFacts): DeviceDecision {
  if (isShared) return 'none';
  if (cookies === 'none') return 'new';
  if (cookies !== 'plain') return 'keep';
  // A copy of the secret must not join the session of the browser that it was copied from.
  return session === 'none' || session === 'own' ? 'adopt' : 'new';
}
