/** The account whose data this document shows, by its uid; null while it shows none. */
let shown: string | null = null;

export function getPageAccount(): string | null {
  return shown;
}

/** For a sign-in or sign-out of this tab. */
export function setPageAccount(uid: string | null): void {
  shown = uid;
}

/**
 * Whether this document shows the account that is signed in; the first one known is the one that it shows. Otherwise the
 * page is loaded again.
 * @param signedIn uid of the session's user
 */
export function confirmPageAccount(signedIn: string): boolean {
  shown ??= signedIn;
  if (shown !== signedIn) reloadPage();
  return shown === signedIn;
}

/** Loads the page again, for the account that is signed in now. Never by `reload()`, which would send a form again. */
export function reloadPage(): void {
  const { pathname, search } = window.location;
  window.location.replace(pathname + search);
}
