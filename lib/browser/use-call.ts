import { useRef, useState } from 'react';
import type { ApiResult, CallFailure } from './api-client';
import { useVisits } from './use-visits';

/**
 * State of a button that makes a call, and can be pressed again after a failure.
 * @param onDone runs before the page shows success
 * @returns `reset`: clears the state, and ignores the outcome of the call
 */
export function useCall<T>(call: () => Promise<ApiResult<T>>, onDone?: (data: T) => void | Promise<unknown>) {
  const [phase, setPhase] = useState<'idle' | 'busy' | 'failed' | 'done'>('idle');
  const [failure, setFailure] = useState<CallFailure | null>(null);
  // A completed call stays completed. The failure is also kept, because an expired link stays expired.
  const visits = useVisits(() => setPhase((present) => (present === 'done' ? present : 'idle')));
  const latest = useRef<object>(null);
  const act = async () => {
    const visit = visits.current;
    const attempt = (latest.current = {});
    setPhase('busy');
    setFailure(null);
    const result = await call();
    if (result.ok) await onDone?.(result.data);
    else if (visit !== visits.current) return;
    else setFailure(result);
    if (latest.current === attempt) setPhase(result.ok ? 'done' : 'failed');
  };
  const reset = () => {
    latest.current = null;
    setPhase('idle');
  };
  return { phase, failure, act: () => void act(), reset };
}
