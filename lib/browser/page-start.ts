import Router from 'next/router';
import { useEffect } from 'react';
import type { Texts } from '@/lib/shared/i18n/messages';
import { providerPages } from '@/lib/shared/paths';

/** The page that this document was loaded for. In-app navigation does not change it. */
let documentPage: string | undefined;

/**
 * Whether a page must be loaded instead of opened in-app. A document keeps its original CSP, and only a provider page's
 * CSP allows the sign-in helper (docs/adr/0014).
 * @param address a path of this app, with or without query
 */
export function needsOwnDocument(address: string): boolean {
  const [path = ''] = address.split('?');
  return providerPages.includes(path) && !providerPages.includes(documentPage ?? path);
}

/** Reloads a page that this document's CSP does not fit, also after Back or a server redirect. */
export function useDocumentPolicy(pathname: string): void {
  useEffect(() => {
    documentPage ??= pathname;
    const staysInApp = (address: string) => {
      if (!needsOwnDocument(address)) return true;
      window.location.reload();
      return false;
    };
    staysInApp(pathname);
    // The URL is already that page's URL now.
    Router.beforePopState(({ as }) => staysInApp(as));
  }, [pathname]);
}

/**
 * Keeps the document's language in step with the page's. Another tab or the account can change it within a document
 * (WCAG 2.2, 3.1.1).
 */
export function useDocumentLanguage(texts: Texts | undefined): void {
  useEffect(() => {
    if (texts) Object.assign(document.documentElement, { lang: texts.language, dir: texts.dir });
  }, [texts]);
}

/** The last shown screen: the page and its heading. */
let shown: string | null = null;

/**
 * Moves the focus to the heading when another screen replaces the current screen, by navigation or by a step within a
 * page. Screen readers announce it, and the keyboard continues from there, as after a page load (WCAG 2.2, 2.4.3).
 *
 * A screen keeps the focus if it has focused its first field, its part's heading or its language choice. The first
 * screen of a document is left unchanged.
 */
export function useHeadingFocus(title: string): void {
  useEffect(() => {
    // Layouts render the heading. This hook only knows that there is one.
    const heading = document.querySelector('h1');
    // Excludes the title's brand, which may arrive late.
    const screen = `${Router.router?.pathname ?? ''} ${heading?.textContent ?? ''}`;
    const isFirst = shown === null;
    const isSame = shown === screen;
    shown = screen;
    if (isFirst || isSame || document.activeElement?.matches('input,select,h2,h3')) return;
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
  }, [title]);
}

/**
 * Signals to the early script that React now handles a screen's events, and clicks the recorded button. Every screen
 * has this component next to its contents in the same boundary, so both are hydrated together. The click is a separate
 * task, because React hydrates another boundary around the button only while it is not rendering.
 */
export function PageReady(): null {
  useEffect(() => {
    document.documentElement.setAttribute('data-ready', '');
    // Only the early script knows which button it was.
    const pressed = document.querySelector<HTMLButtonElement>('button[data-early]');
    pressed?.removeAttribute('data-early');
    setTimeout(() => pressed?.click());
  }, []);
  return null;
}
