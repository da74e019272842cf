import { Suspense, useId, useRef, useState } from 'react';
import { useMessages } from '@/lib/browser/use-messages';
import { lazyWithFallback } from '@/lib/browser/hooks';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { getInitials } from '@/lib/shared/initials';
import styles from './account-menu.module.css';

const loadPanel = () => import('./account-menu-panel');
const AccountMenuPanel = lazyWithFallback(loadPanel);

type Props = { name: string | null; email: string | null };

/** Who is signed in, and what they can do with their account. Few open it, so its content is loaded for those. */
export function AccountMenu({ name, email }: Props) {
  const { t } = useMessages('app-shell');
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useId();
  const address = email === null ? null : toDisplayEmail(email);
  const shown = name ?? address ?? '';
  const approach = () => void loadPanel().catch(() => undefined);
  return (
    <div className={styles.menu}>
      <button
        ref={button}
        type="button"
        className={styles.who}
        aria-expanded={isOpen}
        aria-controls={isOpen ? panel : undefined}
        onClick={() => setOpen(!isOpen)}
        onPointerEnter={approach}
        onFocus={approach}
      >
        <span className={styles.initials} aria-hidden="true">
          {getInitials(shown)}
        </span>
        <span className="visually-hidden">{t('menu')}</span>
        <bdi className={styles.shown}>{shown}</bdi>
      </button>
      <Suspense>
        {isOpen && (
          <AccountMenuPanel id={panel} name={name} address={address} button={button} onClose={() => setOpen(false)} />
        )}
      </Suspense>
    </div>
  );
}
