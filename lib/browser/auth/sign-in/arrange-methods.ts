import { PASSKEY_METHOD, SOCIAL_PROVIDER_IDS, type SocialProviderId } from '@/lib/shared/sign-in-methods';
import { EMAIL_LINK_METHOD } from './this-device';

export type Offer = {
  /** The origin's sign-in methods. */
  enabled: readonly string[];
  /** The method last used on this device. */
  lastUsed: string | null;
  /** Whether the page is in an in-app browser, which Google rejects. */
  isEmbedded: boolean;
  /** How many providers the origin shows initially. */
  visibleProviders?: number | undefined;
};

export type OfferedProviders = {
  /** The provider last used on this device. */
  first: SocialProviderId | undefined;
  /** As many others as the origin shows initially. */
  visible: SocialProviderId[];
  /** Behind "More ways to sign in". */
  more: SocialProviderId[];
  /** The origin offers Google, which rejects this browser. */
  withoutGoogle: boolean;
};

/** Returns the origin's social providers, in the order of their table. Each is in one list only. */
export function offerProviders({ enabled, lastUsed, isEmbedded, visibleProviders }: Offer): OfferedProviders {
  const withoutGoogle = isEmbedded && enabled.includes('google.com');
  const all = SOCIAL_PROVIDER_IDS.filter((id) => enabled.includes(id) && !(withoutGoogle && id === 'google.com'));
  // Without a form, the providers are the only methods.
  const count = visibleProviders ?? (enabled.includes('password') ? 1 : all.length);
  const first = all.find((id) => id === lastUsed);
  const others = (ids: SocialProviderId[]) => ids.filter((id) => id !== first);
  return { first, visible: others(all.slice(0, count)), more: others(all.slice(count)), withoutGoogle };
}

/** What the sign-in screen shows, from top to bottom: the passkey button, the password form, or buttons of providers. */
export type SignInPart = 'passkey' | 'password' | readonly SocialProviderId[];

export type SignInGroup = { place: 'first' | 'form' | 'others'; parts: SignInPart[] };

export type SignInArrangement = {
  /** A divider is between two groups. */
  groups: SignInGroup[];
  /** Null without other ways. `isOpen`: they contain the method last used, or they are all ways. */
  more: { isOpen: boolean; providers: SocialProviderId[]; byEmailLink: boolean; byOrganization: boolean } | null;
  withoutGoogle: boolean;
};

/**
 * Decides which sign-in methods the screen shows, and in which order: the last used method, the form, the other methods.
 * @returns null if the origin has no method
 */
export function arrangeSignIn(offer: Offer & { hasPasskeys: boolean }): SignInArrangement | null {
  const { enabled, lastUsed, hasPasskeys } = offer;
  const { first, visible, more: providers, withoutGoogle } = offerProviders(offer);
  const [byPassword, byOrganization] = [enabled.includes('password'), enabled.includes('enterprise')];
  const isPasskeyFirst = hasPasskeys && lastUsed === PASSKEY_METHOD;
  const byPasskey: SignInPart[] = hasPasskeys ? ['passkey'] : [];
  const last: SignInPart[] = isPasskeyFirst ? byPasskey : first ? [[first]] : [];
  const form: SignInPart[] = byPassword ? ['password'] : [];
  const others: SignInPart[] = [...(isPasskeyFirst ? [] : byPasskey), ...(visible.length > 0 ? [visible] : [])];
  const all: SignInGroup[] = [
    { place: 'first', parts: last },
    { place: 'form', parts: form },
    { place: 'others', parts: others },
  ];
  const groups = all.filter(({ parts }) => parts.length > 0);
  // An email link signs in to the same accounts as a password.
  const hasMore = byPassword || byOrganization || providers.length > 0;
  if (!hasMore && groups.length === 0 && !withoutGoogle) return null;
  const isOpen = groups.length === 0 || lastUsed === EMAIL_LINK_METHOD || lastUsed?.startsWith('saml.') === true;
  return {
    groups,
    more: hasMore ? { isOpen, providers, byEmailLink: byPassword, byOrganization } : null,
    withoutGoogle,
  };
}
