import Router from 'next/router';
import { useEffect } from 'react';
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
  return providerPages.includes(path) && !providerPages.includes(documentPage ?? '');
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
