import { judgeCallback, type CallbackVerdict } from '@/lib/callback/rules';
import { publicEnv } from '@/lib/config/env';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { countRefusedCallback } from './counters';

/**
 * Judges an address that somebody asks for as a callback; what is refused is counted for the operator (product
 * decisions, 5).
 */
export function judgeAskedCallback(input: unknown): CallbackVerdict {
  const verdict = judgeCallback(input, callbackPolicyOf(publicEnv()));
  if (!verdict.accepted && verdict.reason !== 'missing') countRefusedCallback(verdict.reason);
  return verdict;
}
