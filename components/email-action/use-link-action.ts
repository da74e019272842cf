import type { ApiResult } from '@/lib/browser/api-client';
import { useCall } from '@/lib/browser/use-call';

/** The button of a link that is used by one call. `expired`, `invalid`: the link no longer works. */
export function useLinkAction<T>(call: () => Promise<ApiResult<T>>, onDone?: (data: T) => void) {
  const { phase, code, act } = useCall(call, onDone);
  if (code === 'action-code-expired') return { phase: 'expired', act } as const;
  return { phase: code === 'action-code-invalid' ? 'invalid' : phase, act } as const;
}
