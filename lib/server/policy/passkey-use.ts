import type { Refused } from './refusal';
import type { ProblemCode } from '@/lib/shared/problem';

/**
 * Decides on the response of an authenticator. All security rules of passkeys are here (docs/adr/0030). assertion.ts
 * and addition.ts collect the facts.
 */

/** Facts of both ceremonies. */
type ResponseFacts = {
  /**
   * Whether the library verified the type, challenge, origin, RP ID and user presence. If required, it also verified
   * the user verification, and for an assertion the signature.
   */
  isVerified: boolean;
  /** `crossOrigin` or `topOrigin` of the client data: the response was made in a frame of another site. */
  isCrossOrigin: boolean;
};

export type AssertionFacts = ResponseFacts & {
  /** Whether the credential is stored, for an account whose email is the same as when the passkey was added. */
  isKnown: boolean;
  /** Whether the authenticator sent the user handle that the account has here. */
  hasOwnHandle: boolean;
  /** Whether the backup eligibility is unchanged. It never changes (WebAuthn Level 3, section 6.1.3). */
  hasSameBackupEligibility: boolean;
  isSuspect: boolean;
  /** Whether the counter is not above the stored counter, unless both are 0 (section 6.1.1). */
  hasCounterGoneBack: boolean;
  /**
   * The stored backup eligibility. Copies of such a passkey are the user's own, each with its own counter (section
   * 6.1.3). The current backup state is not used, because the copy itself reports it.
   */
  isBackupEligible: boolean;
  /** Whether its challenge is older than its last use. Two concurrent responses may arrive in the wrong order. */
  isOlderThanLastUse: boolean;
  /** Whether the passkey belongs to the signed-in account. Null at a sign-in, where the passkey selects the account. */
  isExpectedAccount: boolean | null;
};

export type AssertionDecision =
  | { outcome: 'accept' }
  | ({ outcome: 'refuse' } & Refused)
  /** Refused and marked as suspect, because a copy of the passkey may exist. */
  | ({ outcome: 'suspect' } & Refused);

const refuse = (code: ProblemCode, rule: string) => ({ outcome: 'refuse', code, rule }) as const;

export function decideAssertion(facts: AssertionFacts): AssertionDecision {
  if (!facts.isKnown) return refuse('passkey-unknown', 'unknown-passkey');
  // Verify before the mark and the counter, because only the passkey's holder may cause or detect a mark.
  if (!facts.isVerified) return refuse('passkey-refused', 'unverified-response');
  if (facts.isCrossOrigin) return refuse('passkey-refused', 'response-of-another-origin');
  if (!facts.hasOwnHandle) return refuse('passkey-refused', 'handle-of-another-account');
  if (!facts.hasSameBackupEligibility) return refuse('passkey-refused', 'changed-backup-eligibility');
  if (facts.isSuspect) return refuse('passkey-suspect', 'suspect-passkey');
  const mayBeCopied = facts.hasCounterGoneBack && !facts.isBackupEligible;
  if (mayBeCopied && facts.isOlderThanLastUse) return refuse('passkey-challenge-expired', 'older-than-last-use');
  if (mayBeCopied) return { outcome: 'suspect', code: 'passkey-suspect', rule: 'counter-gone-back' };
  return facts.isExpectedAccount === false
    ? refuse('other-account', 'passkey-of-another-account')
    : { outcome: 'accept' };
}

/** Facts about user verification at an assertion. */
export type VerificationFacts = {
  /**
   * `uvInitialized` of the credential (WebAuthn Level 3, section 4): whether user verification counts. False if the
   * passkey was created without it.
   */
  isInitialized: boolean;
  /** The UV flag of the response. */
  isUserVerified: boolean;
  /** Whether another factor of the account was shown in the same sign-in. */
  hasOtherFactor: boolean;
};

/** `initializes`: user verification counts after this sign-in (WebAuthn Level 3, section 7.2). */
export type VerificationDecision = { factors: 1 | 2; initializes: boolean };

/**
 * Decides whether the passkey alone is two factors. If a browser created the passkey automatically, any holder of the
 * device could set up the verification. Another factor in the same sign-in authorizes the verification.
 */
export function decideVerification(facts: VerificationFacts): VerificationDecision {
  const { isInitialized, isUserVerified, hasOtherFactor } = facts;
  const counts = isUserVerified && (isInitialized || hasOtherFactor);
  return { factors: counts ? 2 : 1, initializes: counts && !isInitialized };
}

export type AdditionFacts = ResponseFacts & {
  /** Whether the challenge was made for the user who is signed in now. */
  isExpectedAccount: boolean;
  emailVerified: boolean;
  /** Whether the organization of the account requires its own sign-in. */
  requiresSso: boolean;
};

/** @returns the code of a refusal, or null if the passkey is stored */
export function decideAddition(facts: AdditionFacts): ProblemCode | null {
  if (!facts.isExpectedAccount) return 'other-account';
  if (!facts.emailVerified) return 'email-not-verified';
  if (facts.requiresSso) return 'sso-required';
  return facts.isVerified && !facts.isCrossOrigin ? null : 'passkey-refused';
}
