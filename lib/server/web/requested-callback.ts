import { validateCallback, type CallbackValidation } from '@/lib/shared/callback/rules';
import { getPublicEnv, countRefusedCallback } from '@/lib/server/runtime';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';

/** Validates a URL requested as a callback. Refusals are counted for the operator (docs/product.md#callbacks). */
export function validateRequestedCallback(input: unknown): CallbackValidation {
  const validation = validateCallback(input, getCallbackPolicy(getPublicEnv()));
  if (!validation.accepted && validation.reason !== 'missing') countRefusedCallback(validation.reason);
  return validation;
}
