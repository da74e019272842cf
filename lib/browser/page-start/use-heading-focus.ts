import { useEffect, useRef } from 'react';

/**
 * After an in-app navigation, moves the focus to the new page's heading, so that keyboard and screen reader users
 * continue from there as after a page load. A page that has already focused its first field is left unchanged (WCAG
 * 2.2, 2.4.3).
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
