import { useState } from 'react';
import type { ApiResult } from '@/lib/browser/api-client';

/** `expired`, `invalid`: the link no longer works. */
type LinkPhase = 'idle' | 'busy' | 'failed' | 'done' | 'expired' | 'invalid';

/** The button of a link that is used by one call. @param onDone before the page shows it */
export function useLinkAction<T>(call: () => Promise<ApiResult<T>>, onDone?: (data: T) => void) {
  const [phase, setPhase] = useState<LinkPhase>('idle');
  const act = async () => {
    setPhase('busy');
    const result = await call();
    if (result.ok) {
      onDone?.(result.data);
      setPhase('done');
    } else if (result.code === 'action-code-expired') setPhase('expired');
    else setPhase(result.code === 'action-code-invalid' ? 'invalid' : 'failed');
  };
  return { phase, act: () => void act() };
}
