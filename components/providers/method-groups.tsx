import { Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './methods.module.css';

type Props = {
  label: string;
  /** Whether one of the methods inside was used last on this device. */
  isLastUsed?: boolean;
  children: ReactNode;
};

/** The sign-in methods that few learners need: neither sent nor loaded with the page. */
export function MoreWays({ label, isLastUsed = false, children }: Props) {
  const element = useRef<HTMLDetailsElement>(null);
  const [open, setOpen] = useState(false);
  // Opened before hydration.
  useEffect(() => setOpen(element.current?.open === true), []);
  return (
    <details
      ref={element}
      className={styles.more}
      open={isLastUsed}
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
