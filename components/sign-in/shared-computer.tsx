import { useTranslation } from 'next-i18next/pages';
import { useEffect, useId, useRef, useState } from 'react';
import { isSharedComputer, setSharedComputer } from '@/lib/auth/shared-computer';
import { useBrowserFact } from '@/lib/browser-fact';
import { usePublicEnv } from '@/lib/config/public-env-context';
import styles from './sign-in.module.css';

/** For libraries and class rooms: the sign-in ends with the browser, and nothing remembers it. Counts for every way in. */
export function SharedComputer() {
  const { t } = useTranslation('sign-in');
  const env = usePublicEnv();
  const hintId = useId();
  const [chosen, setChosen] = useState<boolean | null>(null);
  const kept = useBrowserFact(isSharedComputer, false);
  const choose = (shared: boolean) => {
    setSharedComputer(env, shared);
    setChosen(shared);
  };
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Ticked before the page was ready: nothing else would tell of it, and the next drawing would take it away.
    if (box.current?.checked && !isSharedComputer()) choose(true);
    // Once, when the page has become usable.
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
