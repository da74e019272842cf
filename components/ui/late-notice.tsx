import { useEffect, useState, type ReactNode } from 'react';
import { Notice } from './notice';
import styles from './notice.module.css';

type Props = { tone?: 'success' | 'info'; children: ReactNode };

/**
 * A notice that is announced while the focus stays or moves to another element. Its live region exists before the text,
 * because some screen readers ignore a region that is inserted with its text.
 */
export function LateNotice({ tone = 'success', children }: Props) {
  const [isThere, setIsThere] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsThere(true));
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.late} role="status">
      {isThere && children !== false && (
        <Notice tone={tone} inRegion>
          {children}
        </Notice>
      )}
    </div>
  );
}
