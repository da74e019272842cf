/** What is known of a call before its work begins. None of these facts depends on whether an account exists. */
export type GuardFacts = {
  /** Not switched off (`PROOF_OF_WORK`). */
  isOn: boolean;
  /** How far its client network, or the address that it is about, has gone: `soft` is the limit below the hard one. */
  passed: 'none' | 'slow' | 'soft';
  /** The account, or the address, has signed in with this browser before: what strangers do is not held against it. */
  isKnownBrowser: boolean;
  /** What the call brings: a proof made for it and never used, one that is not, or none. */
  proof: 'none' | 'accepted' | 'refused';
};

/** `slow`: what it is refused for is told after a moment, and a success at once; `ask`: refused, with a challenge. */
export type GuardDecision = 'pass' | 'slow' | 'ask';

/** What a call has to bring below the hard limits (docs/adr/0040). The order of the rules matters. */
export function decideGuard({ isOn, passed, isKnownBrowser, proof }: GuardFacts): GuardDecision {
  if (!isOn || passed === 'none' || isKnownBrowser) return 'pass';
  if (passed === 'slow') return 'slow';
  // The proof has cost the client what waiting would.
  return proof === 'accepted' ? 'pass' : 'ask';
}
