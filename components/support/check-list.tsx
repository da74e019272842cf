import { useTranslation } from 'next-i18next/pages';
import { Icon } from '@/components/ui/icons';
import type { CheckResult } from '@/lib/self-check/checks';
import styles from './support.module.css';

/** Every check with its result in words, and what to do where it failed. */
export function CheckList({ results }: { results: CheckResult[] }) {
  const { t } = useTranslation('self-check');
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
