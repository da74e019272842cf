import { useState } from 'react';
import type { ApiResult, CallFailure } from './api-client';
import { useFreshAfterBack } from './hooks';

/**
 * A button of one call, which can be pressed again after a failure.
 * @param onDone before the page shows that it is done
 */
export function useCall<T>(call: () => Promise<ApiResult<T>>, onDone?: (data: T) => void | Promise<unknown>) {
  const [phase, setPhase] = useState<'idle' | 'busy' | 'failed' | 'done'>('idle');
  const [failure, setFailure] = useState<CallFailure | null>(null);
  useFreshAfterBack(() => setPhase((present) => (present === 'busy' ? 'idle' : present)));
  const act = async () => {
    setPhase('busy');
    setFailure(null);
    const result = await call();
    if (result.ok) await onDone?.(result.data);
    else setFailure(result);
    setPhase(result.ok ? 'done' : 'failed');
  };
  return { phase, failure, act: () => void act(), reset: () => setPhase('idle') };
}
