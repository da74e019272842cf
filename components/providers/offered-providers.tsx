import { Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { useAppConfig } from '@/lib/browser/config/context';
import { isEmbeddedBrowser } from '@/lib/browser/embedded-browser';
import { useClientValue } from '@/lib/browser/hooks';
import { SOCIAL_PROVIDER_IDS, type SocialProviderId } from '@/lib/shared/sign-in-methods';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './methods.module.css';

export type OfferedProviders = {
  /** Above the form: the provider last used on this device. */
  first: SocialProviderId | undefined;
  /** Below the form, as many as the origin shows initially. */
  visible: SocialProviderId[];
  /** Behind "More ways to sign in". */
  more: SocialProviderId[];
  /** Whether the page is in an in-app browser, which Google rejects, at an origin that offers Google. */
  withoutGoogle: boolean;
};

/**
 * Returns the origin's social providers, in the order of their table.
 * @param enabled the origin's sign-in methods
 * @param lastUsed the method last used on this device
 */
export function useOfferedProviders(enabled: readonly string[], lastUsed: string | null): OfferedProviders {
  const isEmbedded = useClientValue(() => isEmbeddedBrowser(navigator.userAgent), false);
  const { visibleProviders } = useAppConfig() ?? {};
  const withoutGoogle = isEmbedded && enabled.includes('google.com');
  const all = SOCIAL_PROVIDER_IDS.filter((id) => enabled.includes(id) && !(withoutGoogle && id === 'google.com'));
  // Without a form, the providers are the only methods.
  const count = visibleProviders ?? (enabled.includes('password') ? 1 : all.length);
  const first = all.find((id) => id === lastUsed);
  const others = (ids: SocialProviderId[]) => ids.filter((id) => id !== first);
  return { first, visible: others(all.slice(0, count)), more: others(all.slice(count)), withoutGoogle };
}

type Props = {
  label: string;
  /** Whether it is initially open, because it contains the method last used on this device. */
  isOpen?: boolean;
  children: ReactNode;
};

/** Sign-in methods that few learners need. They are neither sent nor loaded with the page. */
export function MoreWays({ label, isOpen = false, children }: Props) {
  const element = useRef<HTMLDetailsElement>(null);
  const [open, setOpen] = useState(false);
  // It was opened before hydration.
  useEffect(() => setOpen(element.current?.open === true), []);
  return (
    <details
      ref={element}
      className={styles.more}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{label}</summary>
      <div className={styles.ways}>
        <Suspense>{open && children}</Suspense>
      </div>
    </details>
  );
}

/** A divider between two sign-in methods. */
export function Divider() {
  const { t } = useMessages('providers');
  return <p className={styles.divider}>{t('or')}</p>;
}
