import { useState } from 'react';
import type { ApiResult, CallFailure } from './api-client';
import { useVisits } from './use-visits';

/**
 * A button of one call, which can be pressed again after a failure.
 * @param onDone before the page shows that it is done
 */
export function useCall<T>(call: () => Promise<ApiResult<T>>, onDone?: (data: T) => void | Promise<unknown>) {
  const [phase, setPhase] = useState<'idle' | 'busy' | 'failed' | 'done'>('idle');
  const [failure, setFailure] = useState<CallFailure | null>(null);
  // What was done stays done. The failure itself is kept: a link that has expired stays expired.
  const visits = useVisits(() => setPhase((present) => (present === 'done' ? present : 'idle')));
  const act = async () => {
    const visit = visits.current;
    setPhase('busy');
    setFailure(null);
    const result = await call();
    if (result.ok) await onDone?.(result.data);
    else if (visit !== visits.current) return;
    else setFailure(result);
    setPhase(result.ok ? 'done' : 'failed');
  };
  return { phase, failure, act: () => void act(), reset: () => setPhase('idle') };
}
