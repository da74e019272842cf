import type { Refused } from './refusal';
import type { ProblemCode } from '@/lib/shared/problem';

/**
 * Decides on the response of an authenticator: the security rules of passkeys, in one place (docs/adr/0030). Facts are collected by
 * assertion.ts and addition.ts.
 */

/** What both ceremonies have in common. */
type ResponseFacts = {
  /**
   * By the library: type, challenge, origin, RP ID, user presence and, where required, user verification; for an assertion also
   * its signature.
   */
  isVerified: boolean;
  /** `crossOrigin` or `topOrigin` of the client data: made within a frame of another site. */
  isCrossOrigin: boolean;
};

export type AssertionFacts = ResponseFacts & {
  /** Whether the credential is stored, for an account that still has the email that it was added with. */
  isKnown: boolean;
  /** The authenticator knows the account by the handle that it has here. */
  hasOwnHandle: boolean;
  /** Whether it can be backed up never changes (WebAuthn Level 3, section 6.1.3). */
  hasSameBackupEligibility: boolean;
  isSuspect: boolean;
  /** The counter is not above the stored one, and one of them is not 0 (section 6.1.1). */
  hasCounterGoneBack: boolean;
  /**
   * The stored backup eligibility: its copies are the user's own, each with a counter of its own (section 6.1.3). Not whether it is
   * backed up now, which a copy says of itself.
   */
  isBackupEligible: boolean;
  /** Its challenge was made before its last use: of two responses at a time the later one may arrive first. */
  isOlderThanLastUse: boolean;
  /** For whom it is asked: null at a sign-in, which it decides. */
  isExpectedAccount: boolean | null;
};

export type AssertionDecision =
  | { outcome: 'accept' }
  | ({ outcome: 'refuse' } & Refused)
  /** Refused, and marked: a copy of it may exist. */
  | ({ outcome: 'suspect' } & Refused);

const refuse = (code: ProblemCode, rule: string) => ({ outcome: 'refuse', code, rule }) as const;

export function decideAssertion(facts: AssertionFacts): AssertionDecision {
  if (!facts.isKnown) return refuse('passkey-unknown', 'unknown-passkey');
  // Before the marks and the counter: only its holder may cause, or learn of, a mark.
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

/** What is known of user verification at an assertion. */
export type VerificationFacts = {
  /** `uvInitialized` of the credential (WebAuthn Level 3, section 4): verification counts. False after a creation without it. */
  isInitialized: boolean;
  /** The UV flag of the response. */
  isUserVerified: boolean;
  /** Another factor of the account was shown in the same sign-in. */
  hasOtherFactor: boolean;
};

/** `initializes`: verification counts from now on (WebAuthn Level 3, section 7.2). */
export type VerificationDecision = { factors: 1 | 2; initializes: boolean };

/**
 * Decides whether the passkey alone is two factors. A browser has created one without asking anyone: who holds its device could set up the
 * verification. Another factor shown with it authorizes that.
 */
export function decideVerification(facts: VerificationFacts): VerificationDecision {
  const { isInitialized, isUserVerified, hasOtherFactor } = facts;
  const counts = isUserVerified && (isInitialized || hasOtherFactor);
  return { factors: counts ? 2 : 1, initializes: counts && !isInitialized };
}

export type AdditionFacts = ResponseFacts & {
  /** The challenge was made for the user who is signed in now. */
  isExpectedAccount: boolean;
  emailVerified: boolean;
  /** The organization of the account requires its own sign-in. */
  requiresSso: boolean;
};

/** @returns the code of a refusal; null: the passkey is stored */
export function decideAddition(facts: AdditionFacts): ProblemCode | null {
  if (!facts.isExpectedAccount) return 'other-account';
  if (!facts.emailVerified) return 'email-not-verified';
  if (facts.requiresSso) return 'sso-required';
  return facts.isVerified && !facts.isCrossOrigin ? null : 'passkey-refused';
}
