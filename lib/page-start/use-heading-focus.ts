import { useEffect, useRef } from 'react';

/**
 * After a step to another page without a load, keyboard and screen reader go on from its heading, as they would after a
 * load from the top; a page that has moved them to its first field is left alone (WCAG 2.2, 2.4.3).
 */
export function useHeadingFocus(pathname: string): void {
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    const heading = document.querySelector('h1');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
  }, [pathname]);
}
