import { useEffect, useId, useRef, useState } from 'react';
import { isSharedComputer, setSharedComputer } from '@/lib/browser/auth/sign-in/this-device';
import { useClientValue } from '@/lib/browser/hooks';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import styles from '@/components/providers/methods.module.css';

/** For libraries and classrooms: the session ends with the browser and leaves no data, for every sign-in method. */
export function SharedComputer() {
  const { t } = useMessages('sign-in');
  const env = usePublicEnv();
  const hintId = useId();
  const [chosen, setChosen] = useState<boolean | null>(null);
  const kept = useClientValue(isSharedComputer, false);
  const choose = (shared: boolean) => {
    setSharedComputer(env, shared);
    setChosen(shared);
  };
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Checked before hydration: no event fires for it, and the next render would uncheck it.
    if (box.current?.checked && !isSharedComputer()) choose(true);
    // Runs once, after hydration.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <div className={styles.shared}>
      <label className={styles.tick}>
        <input
          ref={box}
          type="checkbox"
          checked={chosen ?? kept}
          aria-describedby={hintId}
          onChange={(event) => choose(event.target.checked)}
        />
        {t('shared.label')}
      </label>
      <p className={styles.soft} id={hintId}>
        {t('shared.hint')}
      </p>
    </div>
  );
}
