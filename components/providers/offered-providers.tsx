import { Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { useAppConfig } from '@/lib/browser/config/context';
import { isEmbeddedBrowser } from '@/lib/browser/embedded-browser';
import { useClientValue } from '@/lib/browser/hooks';
import { SOCIAL_PROVIDER_IDS, type SocialProviderId } from '@/lib/shared/sign-in-methods';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './methods.module.css';

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
  const all = SOCIAL_PROVIDER_IDS.filter((id) => enabled.includes(id) && !(withoutGoogle && id === 'google.com'));
  // Without a form, they are all there is.
  const count = visibleProviders ?? (enabled.includes('password') ? 1 : all.length);
  const first = all.find((id) => id === lastUsed);
  const others = (ids: SocialProviderId[]) => ids.filter((id) => id !== first);
  return { first, visible: others(all.slice(0, count)), more: others(all.slice(count)), withoutGoogle };
}

type Props = {
  label: string;
  /** From the start: one of the methods inside was used last on this device. */
  isOpen?: boolean;
  children: ReactNode;
};

/** The sign-in methods that few learners need: neither sent nor loaded with the page. */
export function MoreWays({ label, isOpen = false, children }: Props) {
  const element = useRef<HTMLDetailsElement>(null);
  const [open, setOpen] = useState(false);
  // Opened before hydration.
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

/** Between two sign-in methods. */
export function Divider() {
  const { t } = useMessages('providers');
  return <p className={styles.divider}>{t('or')}</p>;
}
