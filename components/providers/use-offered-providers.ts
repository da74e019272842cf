import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { isEmbeddedBrowser } from '@/lib/browser/embedded-browser';
import { useClientValue } from '@/lib/browser/use-client-value';
import { isSocialProvider, SOCIAL_PROVIDERS, type SocialProviderId } from '@/lib/shared/providers/social-providers';

export type OfferedProviders = {
  /** Above the form: the one used last on this device. */
  first: SocialProviderId | undefined;
  /** Below the form, as many as the origin shows at once. */
  visible: SocialProviderId[];
  /** Behind "More ways to sign in". */
  more: SocialProviderId[];
  /** An in-app browser, which Google rejects, at an origin that has Google. */
  withoutGoogle: boolean;
};

/**
 * The origin's social providers, in the order of their table.
 * @param enabled its sign-in methods
 * @param lastUsed the method used last on this device
 */
export function useOfferedProviders(enabled: readonly string[], lastUsed: string | null): OfferedProviders {
  const isEmbedded = useClientValue(() => isEmbeddedBrowser(navigator.userAgent), false);
  const { visibleProviders } = useAppConfig() ?? {};
  const withoutGoogle = isEmbedded && enabled.includes('google.com');
  const all = Object.keys(SOCIAL_PROVIDERS)
    .filter(isSocialProvider)
    .filter((id) => enabled.includes(id) && !(withoutGoogle && id === 'google.com'));
  // Without a form, they are all there is.
  const count = visibleProviders ?? (enabled.includes('password') ? 1 : all.length);
  const first = all.find((id) => id === lastUsed);
  const others = (ids: SocialProviderId[]) => ids.filter((id) => id !== first);
  return { first, visible: others(all.slice(0, count)), more: others(all.slice(count)), withoutGoogle };
}
