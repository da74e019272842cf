import type { ReactNode } from 'react';
import { Icon } from './icons';
import styles from './notice.module.css';

export type NoticeTone = 'error' | 'success' | 'info';

const GLYPHS = { error: 'alert', success: 'check', info: 'info' } as const;

/** A message that stays on the screen. Errors are announced at once, everything else politely. */
export function Notice({ tone, children }: { tone: NoticeTone; children: ReactNode }) {
  return (
    <div className={`${styles.notice ?? ''} ${styles[tone] ?? ''}`} role={tone === 'error' ? 'alert' : 'status'}>
      <Icon glyph={GLYPHS[tone]} />
      <div className={styles.body}>{children}</div>
    </div>
  );
}
