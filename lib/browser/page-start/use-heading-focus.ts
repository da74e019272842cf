import Router from 'next/router';
import { useEffect } from 'react';

/** The screen that was shown last: the page and its heading. */
let shown: string | null = null;

/**
 * When another screen replaces the one that was used, whether by navigation or by a step inside a page, moves the focus to its
 * heading: screen readers announce it, and the keyboard continues from there as after a page load (WCAG 2.2, 2.4.3). A
 * screen that has focused its first field, or the heading of the part that it is about, keeps that, and so does the choice of its
 * language. The first screen of a
 * document is left unchanged.
 */
export function useHeadingFocus(title: string): void {
  useEffect(() => {
    const heading = document.querySelector('h1');
    // Without the title's brand, which may come late.
    const screen = `${Router.router?.pathname ?? ''} ${heading?.textContent ?? ''}`;
    const isFirst = shown === null;
    const isSame = shown === screen;
    shown = screen;
    if (isFirst || isSame || document.activeElement?.matches('input,select,h2,h3')) return;
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
  }, [title]);
}
