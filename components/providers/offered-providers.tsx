import { Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { type Offer, type OfferedProviders, offerProviders } from '@/lib/browser/auth/sign-in/arrange-methods';
import { useAppConfig } from '@/lib/browser/config/context';
import { isEmbeddedBrowser } from '@/lib/browser/embedded-browser';
import { useClientValue } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './methods.module.css';

/** @returns what this page knows about the offer of sign-in methods (`arrange-methods.ts`) */
export function useOffer(enabled: readonly string[], lastUsed: string | null): Offer {
  const isEmbedded = useClientValue(() => isEmbeddedBrowser(navigator.userAgent), false);
  const { visibleProviders } = useAppConfig() ?? {};
  return { enabled, lastUsed, isEmbedded, visibleProviders };
}

/** Returns the origin's social providers. */
export function useOfferedProviders(enabled: readonly string[]): OfferedProviders {
  return offerProviders(useOffer(enabled, null));
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
