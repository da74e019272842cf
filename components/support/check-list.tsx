import { Icon } from '@/components/ui/icons';
import { useMessages } from '@/lib/browser/use-messages';
import type { CheckResult } from '@/lib/browser/self-check/checks';
import styles from './support.module.css';

/** Every check with its result as text, and a fix if it failed. */
export function CheckList({ results }: { results: CheckResult[] }) {
  const { t } = useMessages('self-check');
  return (
    <ul className={styles.checks}>
      {results.map(({ name, ok }) => (
        <li key={name} className={ok ? styles.good : styles.bad}>
          <Icon glyph={ok ? 'check' : 'alert'} />
          <div>
            <p>
              {t(`checks.${name}.name`)}: {ok ? t('works') : t('fails')}
            </p>
            {!ok && <p className={styles.advice}>{t(`checks.${name}.advice`)}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}
