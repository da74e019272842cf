import type { MouseEvent } from 'react';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './app-shell.module.css';

export const MAIN_ID = 'main';

/** For keyboard users: past the header. Without scripts it is a link to the place. */
export function SkipLink() {
  const { t } = useMessages('app-shell');
  const skip = (event: MouseEvent) => {
    // With a hash in the address, the framework would not load the page's data again after a change.
    event.preventDefault();
    document.getElementById(MAIN_ID)?.focus();
  };
  return (
    <a className={styles.skip} href={`#${MAIN_ID}`} onClick={skip}>
      {t('skip')}
    </a>
  );
}
