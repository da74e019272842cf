import { useEffect } from 'react';

/**
 * Moves to the first field where there is a keyboard and room; on phones the keyboard would cover the page (visual
 * direction). Someone who has begun elsewhere is left alone.
 * @param name of the field
 */
export function useFirstFocus(name: string): void {
  useEffect(() => {
    const isDesktop = window.matchMedia('(min-width: 48rem) and (pointer: fine)').matches;
    // At once: the form's own `setFocus` waits a task, in which somebody can begin to type, and would go on elsewhere.
    if (isDesktop && document.activeElement === document.body) document.getElementsByName(name)[0]?.focus();
  }, [name]);
}
