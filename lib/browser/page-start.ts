import Router from 'next/router';
import { useEffect } from 'react';
import type { Texts } from '@/lib/shared/i18n/messages';
import { providerPages } from '@/lib/shared/paths';

/** The page that this document was loaded for; in-app navigation does not change it. */
let documentPage: string | undefined;

/**
 * Whether a page must be loaded rather than opened in-app: a document keeps the CSP it was loaded with, and only that
 * of a provider page allows the sign-in helper (docs/adr/0014).
 * @param address a path of this app, with or without query
 */
export function needsOwnDocument(address: string): boolean {
  const [path = ''] = address.split('?');
  return providerPages.includes(path) && !providerPages.includes(documentPage ?? path);
}

/** Reloads a page whose CSP this document lacks, also after going back or a server redirect. */
export function useDocumentPolicy(pathname: string): void {
  useEffect(() => {
    documentPage ??= pathname;
    const staysInApp = (address: string) => {
      if (!needsOwnDocument(address)) return true;
      window.location.reload();
      return false;
    };
    staysInApp(pathname);
    // At this point the URL is already that of the page navigated back to.
    Router.beforePopState(({ as }) => staysInApp(as));
  }, [pathname]);
}

/** Keeps the document's language that of the page: another tab, or the account's own, can change it within a document (WCAG 2.2, 3.1.1). */
export function useDocumentLanguage(texts: Texts | undefined): void {
  useEffect(() => {
    if (texts) Object.assign(document.documentElement, { lang: texts.language, dir: texts.dir });
  }, [texts]);
}

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

/**
 * Signals to the early script that React handles events from now on, and clicks the button it recorded. In a separate
 * task: React hydrates the boundary around a clicked button only while it is not rendering.
 */
export function usePageReady(): void {
  useEffect(() => {
    document.documentElement.setAttribute('data-ready', '');
    const pressed = document.querySelector<HTMLButtonElement>('button[data-early]');
    pressed?.removeAttribute('data-early');
    setTimeout(() => pressed?.click());
  }, []);
}
