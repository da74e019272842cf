import { validateCallback, type CallbackPolicy } from './rules';

/** Callback sources available when a page of this app starts. */
export type CallbackSources = {
  /** Every `redirect_uri` of the URL; a legitimate link never has more than one. */
  redirectUris: readonly string[];
  /** `document.referrer`, or null when the page was reloaded or reached by going back. */
  referrer: string | null;
  /** The URL stored by an earlier page start. */
  stored: string | undefined;
  /** Substrings that mark a purchase. */
  purchaseMarkers: readonly string[];
};

export type CallbackStart = {
  /** URL to store, or null to keep the stored one. */
  store: string | null;
  directPurchase: boolean;
};

/**
 * Decides which callback to store at page start (docs/product.md#callbacks): a valid `redirect_uri`, else a valid
 * referrer, else the stored one; the default dashboard if none is stored or the `redirect_uri` was rejected. More than
 * one `redirect_uri` is rejected.
 */
export function decideCallbackStart(sources: CallbackSources, policy: CallbackPolicy): CallbackStart {
  const [redirectUri, ...surplus] = sources.redirectUris;
  if (redirectUri !== undefined) {
    const validation = validateCallback(surplus.length > 0 ? sources.redirectUris : redirectUri, policy);
    if (!validation.accepted) return { store: policy.dashboardUrl, directPurchase: false };
    const directPurchase = sources.purchaseMarkers.some((marker) => validation.url.includes(marker));
    return { store: validation.url, directPurchase };
  }
  const referrer = validateCallback(sources.referrer, policy);
  if (referrer.accepted) return { store: referrer.url, directPurchase: false };
  const keeps = validateCallback(sources.stored, policy).accepted;
  return { store: keeps ? null : policy.dashboardUrl, directPurchase: false };
}
