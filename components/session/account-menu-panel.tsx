import { useEffect, useEffectEvent, type RefObject } from 'react';
import { Button } from '@/components/ui/button';
import { isSharedComputer } from '@/lib/browser/auth/sign-in/this-device';
import { getSignInPath, signInAgain } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import styles from './account-menu-panel.module.css';
import { useLeaving } from './use-sign-out';

type Props = {
  id: string;
  name: string | null;
  address: string | null;
  /** The button beside it, which opens and closes it. */
  button: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
};

/** Escape, a press elsewhere, and a focus that leaves it close it. */
export default function AccountMenuPanel({ id, name, address, button, onClose }: Props) {
  const { t } = useMessages('app-shell');
  const env = usePublicEnv();
  const switching = useLeaving(() => signInAgain(env, null, getSignInPath('SignedOut')));
  const onElsewhere = useEffectEvent(({ target }: Event) => {
    if (!button.current?.parentElement?.contains(target as Node)) onClose();
  });
  const onKey = useEffectEvent(({ key }: KeyboardEvent) => {
    if (key !== 'Escape') return;
    onClose();
    button.current?.focus();
  });
  useEffect(() => {
    const listeners = new AbortController();
    document.addEventListener('pointerdown', onElsewhere, listeners);
    document.addEventListener('focusin', onElsewhere, listeners);
    document.addEventListener('keydown', onKey, listeners);
    return () => listeners.abort();
  }, []);
  return (
    <div id={id} className={styles.panel}>
      <p className={styles.names}>
        {name !== null && <bdi className={styles.name}>{name}</bdi>}
        <bdi>{address}</bdi>
      </p>
      {/* Load a new document, because the identity provider's SDK is initialized differently there. */}
      <a href={paths.security} className={styles.item}>
        {t('account')}
      </a>
      {/* A shared computer remembers no accounts. */}
      {!isSharedComputer() && (
        <Button
          kind="quiet"
          busy={switching.isBusy}
          busyLabel={t('common:signingOut')}
          onClick={() => void switching.leave()}
        >
          {t('switchAccount')}
        </Button>
      )}
    </div>
  );
}
