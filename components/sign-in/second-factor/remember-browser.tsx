import { useId } from 'react';
import { isSharedComputer } from '@/lib/browser/auth/sign-in/shared-computer';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { useClientValue } from '@/lib/browser/use-client-value';
import { useMessages } from '@/lib/browser/use-messages';
import { REMEMBERED_DAYS } from '@/lib/shared/account/devices';
import styles from '@/components/providers/methods.module.css';

type Props = { checked: boolean; onChange: (checked: boolean) => void };

/** Before the code, which submits itself. Not on a shared computer, nor where the origin does not allow it. */
export function RememberBrowser({ checked, onChange }: Props) {
  const { t } = useMessages('second-factor');
  const hintId = useId();
  const isAllowed = useAppConfig()?.rememberBrowsers === true;
  const isShared = useClientValue(isSharedComputer, true);
  if (!isAllowed || isShared) return null;
  return (
    <div className={styles.shared}>
      <label className={styles.tick}>
        <input
          type="checkbox"
          checked={checked}
          aria-describedby={hintId}
          onChange={(event) => onChange(event.target.checked)}
        />
        {t('remember.label', { count: REMEMBERED_DAYS })}
      </label>
      <p className={styles.soft} id={hintId}>
        {t('remember.hint')}
      </p>
    </div>
  );
}
