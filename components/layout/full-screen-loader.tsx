import { useTranslation } from 'next-i18next/pages';
import styles from './full-screen-loader.module.css';

/** Covers the screen while the app config is late; seen only after 300 ms (visual direction). */
export function FullScreenLoader() {
  const { t } = useTranslation('common');
  return (
    <div className={styles.cover} role="status">
      <span className={styles.ring} aria-hidden="true" />
      <span className="visually-hidden">{t('loading')}</span>
    </div>
  );
}
