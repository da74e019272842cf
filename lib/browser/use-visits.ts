import { useRef, type RefObject } from 'react';
import { useFreshAfterBack } from './hooks';

/**
 * The same as `useFreshAfterBack`, for a page with calls.
 * @returns counts the times that the page was restored: the failure of a call from before is ignored, since by now it may have been made again
 */
export function useVisits(refresh: () => void): RefObject<number> {
  const visits = useRef(0);
  useFreshAfterBack(() => {
    visits.current += 1;
    refresh();
  });
  return visits;
}
