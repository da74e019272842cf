/** Facts of a call before its work begins. None of them depends on whether an account exists. */
export type GuardFacts = {
  /** False if `PROOF_OF_WORK` switches it off. */
  isOn: boolean;
  /** The limit that the client network or the email has passed. `soft` is below the hard limit. */
  passed: 'none' | 'slow' | 'soft';
  /**
   * Whether the account or email has signed in with this browser before. Other clients' calls do not count against such
   * a browser.
   */
  isKnownBrowser: boolean;
  /** The proof of the call. `accepted`: made for this call and never used before. */
  proof: 'none' | 'accepted' | 'refused';
};

/** `slow`: a refusal is delayed, a success is not. `ask`: refused, with a challenge. */
export type GuardDecision = 'pass' | 'slow' | 'ask';

/** Decides what a call needs below the hard limits (docs/adr/0040). The order of the rules matters. */
export function decideGuard({ isOn, passed, isKnownBrowser, proof }: GuardFacts): GuardDecision {
  if (!isOn || passed === 'none' || isKnownBrowser) return 'pass';
  if (passed === 'slow') return 'slow';
  // The proof has cost the client as much as the delay.
  return proof === 'accepted' ? 'pass' : 'ask';
}
