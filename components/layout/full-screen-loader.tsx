import { useMessages } from '@/lib/browser/use-messages';
import styles from './full-screen-loader.module.css';

/** Covers the screen while the app config is late; visible only after 300 ms (docs/product.md#visual-design). */
export function FullScreenLoader() {
  const { t } = useMessages('common');
  return (
    <div className={styles.cover} role="status">
      <span className={styles.ring} aria-hidden="true" />
      <span className="visually-hidden">{t('loading')}</span>
    </div>
  );
}
