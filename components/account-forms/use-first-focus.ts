import { useEffect } from 'react';

/**
 * Focuses the first field on desktops; on phones the on-screen keyboard would cover the page
 * (docs/product.md#visual-design). Does nothing if another element already has focus.
 * @param name of the field
 */
export function useFirstFocus(name: string): void {
  useEffect(() => {
    const isDesktop = window.matchMedia('(min-width: 48rem) and (pointer: fine)').matches;
    // Focus synchronously: the form's `setFocus` waits a task and could take the focus from a user who is typing.
    if (isDesktop && document.activeElement === document.body) document.getElementsByName(name)[0]?.focus();
  }, [name]);
}
