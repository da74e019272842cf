/**
 * Header in which our pages name the account that they show, by its uid. A tab can show one account while another tab of
 * the browser has signed in to a different one: its calls must not act on that one.
 */
export const PAGE_ACCOUNT_HEADER = 'x-account-uid';

/** Field of a form that works without scripts, in place of the header. */
export const PAGE_ACCOUNT_FIELD = 'account';

/**
 * Whether a call is refused because its page shows a different account than the one that is signed in.
 * @param named account of the page; undefined when the caller names none, as API clients may
 * @param signedIn account of the session; null without one: there is nothing to act on
 */
export function isOtherAccount(named: string | undefined, signedIn: string | null): boolean {
  return named !== undefined && signedIn !== null && named !== signedIn;
}
