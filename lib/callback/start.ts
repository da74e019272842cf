import { judgeCallback, type CallbackPolicy } from './rules';

/** What is known when a page of this app starts. */
export type CallbackSources = {
  /** Every `redirect_uri` of the address; more than one is nobody's honest link. */
  redirectUris: readonly string[];
  /** `document.referrer`, or null when the page was reloaded or reached by going back. */
  referrer: string | null;
  /** The address kept by an earlier start. */
  stored: string | undefined;
  /** Texts that mark a purchase. */
  purchaseMarkers: readonly string[];
};

export type CallbackStart = {
  /** Address to keep, or null when the kept one stays. */
  store: string | null;
  directPurchase: boolean;
};

/**
 * Decides which callback a start leaves behind (specification, section 4): a valid `redirect_uri`, else a valid
 * referrer, else what is kept; the default dashboard when nothing is kept or the `redirect_uri` was refused.
 */
export function decideCallbackStart(sources: CallbackSources, policy: CallbackPolicy): CallbackStart {
  const [redirectUri, ...surplus] = sources.redirectUris;
  if (redirectUri !== undefined) {
    const verdict = judgeCallback(surplus.length > 0 ? sources.redirectUris : redirectUri, policy);
    if (!verdict.accepted) return { store: policy.dashboardUrl, directPurchase: false };
    const directPurchase = sources.purchaseMarkers.some((marker) => verdict.url.includes(marker));
    return { store: verdict.url, directPurchase };
  }
  const referrer = judgeCallback(sources.referrer, policy);
  if (referrer.accepted) return { store: referrer.url, directPurchase: false };
  const keeps = judgeCallback(sources.stored, policy).accepted;
  return { store: keeps ? null : policy.dashboardUrl, directPurchase: false };
}
