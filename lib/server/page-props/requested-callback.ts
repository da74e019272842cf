import { validateCallback, type CallbackVerdict } from '@/lib/shared/callback/rules';
import { getPublicEnv } from '../config/env';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { countRefusedCallback } from '../observability/metrics';

/** Validates a URL requested as a callback. Refusals are counted for the operator (docs/product.md#callbacks). */
export function validateRequestedCallback(input: unknown): CallbackVerdict {
  const verdict = validateCallback(input, getCallbackPolicy(getPublicEnv()));
  if (!verdict.accepted && verdict.reason !== 'missing') countRefusedCallback(verdict.reason);
  return verdict;
}
