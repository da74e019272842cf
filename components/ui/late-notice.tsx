import type { ReactNode } from 'react';
import { Notice } from './notice';
import styles from './notice.module.css';

/**
 * A success that is told while the focus stays, or goes elsewhere. Its live region is there before: not every screen reader reads one that is
 * inserted with its text.
 */
export function LateNotice({ children }: { children: ReactNode }) {
  return (
    <div className={styles.late} role="status">
      {children !== false && (
        <Notice tone="success" inRegion>
          {children}
        </Notice>
      )}
    </div>
  );
}
