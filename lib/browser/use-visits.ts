import { useRef, type RefObject } from 'react';
import { useFreshAfterBack } from './hooks';

/**
 * Refreshes a page with calls when it is restored from the back/forward cache.
 * @returns the number of times that the page was restored; ignore the failure of an earlier call, which may have been repeated
 */
export function useVisits(refresh: () => void): RefObject<number> {
  const visits = useRef(0);
  useFreshAfterBack(() => {
    visits.current += 1;
    refresh();
  });
  return visits;
}
