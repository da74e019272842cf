import { useEffect } from 'react';

/**
 * Moves to the first field where there is a keyboard and room; on phones the keyboard would cover the page (visual
 * direction). Someone who has begun elsewhere is left alone.
 */
export function useFirstFocus(focus: () => void): void {
  useEffect(() => {
    const isDesktop = window.matchMedia('(min-width: 48rem) and (pointer: fine)').matches;
    if (isDesktop && document.activeElement === document.body) focus();
    // Once, when the page has become usable.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
}
