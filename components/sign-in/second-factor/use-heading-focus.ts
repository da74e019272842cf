import { useEffect } from 'react';

/** What was focused is gone, as after a change of the page: the focus goes on at the heading. */
export function useHeadingFocus(isFocused = true): void {
  useEffect(() => {
    if (!isFocused) return;
    const heading = document.querySelector('h1');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
  }, [isFocused]);
}
