import type { ProblemCode } from '@/lib/shared/problem';

/**
 * Decides whether a sign-in that the account policy accepts (sign-in.ts) opens a session, continues the browser's present one, or
 * neither (docs/adr/0027).
 */
export type OpeningFacts = {
  /**
   * `fresh-proof`: the user has authenticated within 5 minutes (`isFreshSignIn`). `old-proof`: an ID token of an older sign-in, from this browser's
   * SDK or from a custom token. `renewal`: no token, the session's own cookie. `replacement`: our server has revoked all
   * sessions of the account for a user who gave a proof. `step-up`: the user of the session's cookie has just shown the second factor.
   * `own-browser`: nothing is opened; a change of the account, and what leads to one, is made in the session's own browser alone.
   */
  evidence: 'fresh-proof' | 'old-proof' | 'renewal' | 'replacement' | 'step-up' | 'own-browser';
  records: 'none' | 'here' | 'away';
  /**
   * The session of the browser's cookie. `none`: no cookie, or not of this account; `unrecorded`: genuine and not ended, but
   * opened before there were records, or while the database was away. While there are no records to ask, never `live`.
   */
  session: 'none' | 'live' | 'ended' | 'unrecorded';
  /** Whether the browser has the secret of the device of a live session. */
  device: 'same' | 'other';
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
  return BY_EVIDENCE[facts.evidence](facts);
}

const BY_EVIDENCE: Record<OpeningFacts['evidence'], typeof decideOpening> = {
  replacement: decideOnReplacement,
  'fresh-proof': decideOnFreshProof,
  'old-proof': decideOnOldProof,
  renewal: decideOnRenewal,
  'step-up': decideOnStepUp,
  'own-browser': decideOnOwnBrowser,
};

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

/** `not-found` leads the browser to renew with an ID token. */
function decideOnRenewal({ session, device }: OpeningFacts): OpeningDecision {
  if (session === 'unrecorded') return refuse('not-found');
  if (session !== 'live') return refuse('session-required');
  return device === 'same' ? { outcome: 'continue' } : refuse('recent-login-required');
}

/** The session has ended, and its browser is not known any more: it was asked for before, by `own-browser`. */
function decideOnReplacement({ session, device }: OpeningFacts): OpeningDecision {
  return session === 'live' && device === 'other' ? refuse('recent-login-required') : { outcome: 'open' };
}

/** A copied cookie does not become a session of another browser, whatever is shown there. */
function decideOnStepUp({ session, device }: OpeningFacts): OpeningDecision {
  if (session === 'unrecorded') return { outcome: 'adopt' };
  if (session !== 'live') return refuse('session-required');
  return device === 'other' ? refuse('recent-login-required') : { outcome: 'continue' };
}

function decideOnOwnBrowser({ session, device }: OpeningFacts): OpeningDecision {
  // None: its cookie, which was good a moment before, cannot be verified any more.
  if (session === 'ended' || session === 'none') return refuse('session-required');
  return session === 'live' && device === 'other' ? refuse('recent-login-required') : { outcome: 'continue' };
}
