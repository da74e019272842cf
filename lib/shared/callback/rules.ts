/**
 * Decides which URLs a learner can be redirected to after sign-in (docs/product.md#callbacks).
 * The functions are pure, and browser and server apply the same rules.
 */

export const MAX_CALLBACK_LENGTH = 2048;

export type CallbackPolicy = {
  mainDomain: string;
  /** The origins of this app and of the identity host. They are never a callback. */
  ownOrigins: readonly string[];
  /** The mobile app's scheme, without `://`. */
  mobileScheme: string;
  /** The default for a missing or rejected callback. */
  dashboardUrl: string;
};

export type CallbackRule = 'mobile-app' | 'main-domain' | 'localhost';

export type CallbackRefusal =
  | 'missing'
  | 'not-a-string'
  | 'too-long'
  | 'forbidden-character'
  | 'not-absolute'
  | 'malformed'
  | 'own-origin'
  | 'insecure-scheme'
  | 'foreign-host';

export type CallbackValidation =
  | { accepted: true; url: string; rule: CallbackRule }
  | { accepted: false; reason: CallbackRefusal };

/**
 * Path of the only callback on this app's own origin: a sign-in for a client of the OpenID Provider continues there. No
 * other path below the issuer has four plain segments (docs/adr/0038). The pattern is short because every page loads it.
 */
const INTERACTION = /^\/api\/oidc(\/[\w-]+){4}$/;

// Control and format characters, lone surrogates, white space, and the backslash, which browsers read as a slash.
const FORBIDDEN = /[\p{C}\p{Z}\\]/u;
const ABSOLUTE_WEB_ADDRESS = /^https?:\/\/([^/?#]+)/i;
const PLAIN_AUTHORITY = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?(?::\d{1,5})?$/i;

/**
 * Validates a callback URL.
 * @param input untrusted: a query value, a cookie, a body field
 * @returns the normalized URL and the rule that accepted it, or the reason it was rejected
 */
export function validateCallback(input: unknown, policy: CallbackPolicy): CallbackValidation {
  if ((input ?? '') === '') return refuse('missing');
  if (typeof input !== 'string') return refuse('not-a-string');
  if (input.length > MAX_CALLBACK_LENGTH) return refuse('too-long');
  if (FORBIDDEN.test(input)) return refuse('forbidden-character');
  if (isMobileCallback(input, policy)) return accept(new URL(input), 'mobile-app');

  const authority = ABSOLUTE_WEB_ADDRESS.exec(input)?.[1];
  if (!authority) return refuse('not-absolute');
  // Allow plain ASCII only: no user name, escape, other script or empty label that the URL parser would rewrite.
  if (!PLAIN_AUTHORITY.test(authority) || !URL.canParse(input)) return refuse('malformed');
  return validateWebUrl(new URL(input), policy);
}

/** Returns the accepted URL in normal form, or else the default dashboard. @param input untrusted */
export function resolveCallback(input: unknown, policy: CallbackPolicy): string {
  const validation = validateCallback(input, policy);
  return validation.accepted ? validation.url : policy.dashboardUrl;
}

function validateWebUrl(url: URL, policy: CallbackPolicy): CallbackValidation {
  if (
    policy.ownOrigins.some(
      (origin) => isOwnHost(url, new URL(origin)) && !INTERACTION.test(url.href.replace(origin, '')),
    )
  )
    return refuse('own-origin');
  if (url.hostname === 'localhost') return accept(url, 'localhost');
  if (!isWithinDomain(url.hostname, policy.mainDomain)) return refuse('foreign-host');
  if (url.protocol !== 'https:') return refuse('insecure-scheme');
  return accept(url, 'main-domain');
}

/** Compares the port only on localhost, where services differ by nothing else. */
function isOwnHost(url: URL, own: URL): boolean {
  const part = own.hostname === 'localhost' ? 'host' : 'hostname';
  return url[part] === own[part];
}

function isMobileCallback(input: string, policy: CallbackPolicy): boolean {
  const base = `${policy.mobileScheme}://oauth-callback`;
  return input.split('?')[0] === base && !input.includes('#');
}

/** Whether a host equals the domain or is a subdomain of it. @param hostname in lower case, as `URL` parses it */
export function isWithinDomain(hostname: string, domain: string): boolean {
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

function accept({ href: url }: URL, rule: CallbackRule): CallbackValidation {
  return { accepted: true, url, rule };
}

function refuse(reason: CallbackRefusal): CallbackValidation {
  return { accepted: false, reason };
}

/** Callback sources available when a page of this app starts. */
export type CallbackSources = {
  /** Every `redirect_uri` of the URL. A legitimate link never has more than one. */
  redirectUris: readonly string[];
  /** `document.referrer`, or null if the page was reloaded or reached by Back. */
  referrer: string | null;
  /** The URL stored by an earlier page start. */
  stored: string | undefined;
  /** Substrings that mark a purchase. */
  purchaseMarkers: readonly string[];
};

type CallbackStart = {
  /** URL to store, or null to keep the stored one. */
  store: string | null;
  directPurchase: boolean;
};

/**
 * Decides which callback to store at page start (docs/product.md#callbacks). A valid `redirect_uri` wins, then a valid
 * referrer, then the stored callback. Without any, or if the `redirect_uri` is rejected, it is the default dashboard.
 * More than one `redirect_uri` is rejected.
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
