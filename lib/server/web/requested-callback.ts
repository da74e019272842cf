import { validateCallback, type CallbackValidation } from '@/lib/shared/callback/rules';
import { getPublicEnv } from '@/lib/server/runtime/config/env';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { countRefusedCallback } from '@/lib/server/runtime/observability/metrics';

/** Validates a URL requested as a callback. Refusals are counted for the operator (docs/product.md#callbacks). */
export function validateRequestedCallback(input: unknown): CallbackValidation {
  const validation = validateCallback(input, getCallbackPolicy(getPublicEnv()));
  if (!validation.accepted && validation.reason !== 'missing') countRefusedCallback(validation.reason);
  return validation;
}
