import { z } from 'zod/mini';
import { hasMarketingConsent, isConsentRefused, readCookie, removeCookie, writeCookie } from '@/lib/browser/cookies';
import { browserCookies, encodeCookieValue, fitsSpec } from '@/lib/shared/browser-cookies';
import { MAX_TEXT_LENGTH, redactText } from '@/lib/shared/redaction/redact';

/** The campaign parameters of a visit. For example, `utm_source=mail` is stored as `source: 'mail'`. */
type Touch = Record<string, string>;
/**
 * The cookie `kktc` (docs/product.md#data): the first touch, the latest, and the touches in between in chronological
 * order.
 */
export type Campaign = { first: Touch; latest: Touch; mid: Touch[] };

const PREFIX = 'utm_';
const KEY = /^[a-z][a-z_]{0,31}$/;
const LONGEST_VALUE = 100;
const MOST_KEYS = 10;
/** Maximum encoded size of a touch in the cookie. The first and the latest touch are always stored. */
const LONGEST_TOUCH = 350;

const touch = z.record(z.string().check(z.regex(KEY)), z.string().check(z.maxLength(LONGEST_VALUE)));
const campaign = z.object({ first: touch, latest: touch, mid: z.array(touch) });

/** Reads the stored campaign. Returns null if there is none or it is invalid. */
export function readCampaign(): Campaign | null {
  try {
    return campaign.parse(JSON.parse(readCookie('campaign') ?? 'null'));
  } catch {
    return null;
  }
}

/**
 * Records the campaign that led to this page, if the learner consents.
 * @param search the URL's query when the page was opened
 */
export function recordCampaign(search: string, mainDomain: string): void {
  const isRefused = isConsentRefused() || isPrivacyControlOn();
  if (isRefused) removeCookie('campaign', mainDomain);
  const latest = toTouch(search);
  if (!latest || isRefused || !hasMarketingConsent()) return;
  writeCookie('campaign', JSON.stringify(fitting(withTouch(readCampaign(), latest))), mainDomain);
}

/** Converts the campaign to attributes: `utm_{key}_first`, `utm_{key}_latest`, `utm_{key}_mid_{n}` with n from 1. */
export function campaignAttributes({ first, latest, mid }: Campaign): Record<string, string> {
  const named = (values: Touch, suffix: string) =>
    Object.entries(values).map(([key, value]) => [`utm_${key}_${suffix}`, value] as const);
  const middle = mid.flatMap((values, index) => named(values, `mid_${String(index + 1)}`));
  return Object.fromEntries([...named(first, 'first'), ...named(latest, 'latest'), ...middle]);
}

function toTouch(search: string): Touch | null {
  const entries = [...new URLSearchParams(search)]
    .filter(([name, value]) => name.startsWith(PREFIX) && KEY.test(name.slice(PREFIX.length)) && value !== '')
    .slice(0, MOST_KEYS)
    .map(
      ([name, value]) =>
        [name.slice(PREFIX.length), redactText(value, MAX_TEXT_LENGTH.analytics).slice(0, LONGEST_VALUE)] as const,
    );
  return entries.length > 0 ? withRoomFor(Object.fromEntries(entries)) : null;
}

/** Drops the last values until the touch fits. */
function withRoomFor(values: Touch): Touch {
  if (encodedLength(values) <= LONGEST_TOUCH) return values;
  return withRoomFor(Object.fromEntries(Object.entries(values).slice(0, -1)));
}

function encodedLength(value: unknown): number {
  return encodeCookieValue(JSON.stringify(value)).length;
}

function withTouch(campaign: Campaign | null, latest: Touch): Campaign {
  if (!campaign) return { first: latest, latest, mid: [] };
  // Following the same link twice is a single touch.
  if (isSame(campaign.latest, latest)) return campaign;
  const isSecond = campaign.mid.length === 0 && isSame(campaign.first, campaign.latest);
  return { first: campaign.first, latest, mid: isSecond ? [] : [...campaign.mid, campaign.latest] };
}

/** Drops the oldest middle touches until the campaign fits into its cookie. */
function fitting(value: Campaign): Campaign {
  if (fitsSpec(browserCookies.campaign, JSON.stringify(value))) return value;
  // An earlier version with a larger limit may have stored these touches.
  if (value.mid.length === 0) return { first: withRoomFor(value.first), latest: withRoomFor(value.latest), mid: [] };
  return fitting({ ...value, mid: value.mid.slice(1) });
}

function isSame(one: Touch, other: Touch): boolean {
  const text = (values: Touch) => JSON.stringify(Object.entries(values).sort());
  return text(one) === text(other);
}

/**
 * Whether this browser sends `Sec-GPC: 1`, which overrides the consent cookie (Global Privacy Control, section 3.2). It
 * is not in cookies.ts, because every page loads that file.
 */
export function isPrivacyControlOn(): boolean {
  return navigator.globalPrivacyControl === true;
}
