import type { ReactNode } from 'react';
import { Icon } from './icons';
import styles from './notice.module.css';

export type NoticeTone = 'error' | 'success' | 'info' | 'warning';

const GLYPHS = { error: 'alert', success: 'check', info: 'info', warning: 'alert' } as const;

type Props = {
  tone: NoticeTone;
  /** The notice is already inside a live region: its own would announce it twice. */
  inRegion?: boolean;
  /** Of a message in another tone that comes late: not every screen reader reads a late status. */
  role?: 'alert';
  children: ReactNode;
};

/**
 * A message that stays on the screen. Errors are announced assertively, everything else politely. A warning comes with the page and
 * holds buttons: in a live region, each change of theirs would read all of it again.
 */
export function Notice({ tone, inRegion = false, role, children }: Props) {
  const isLive = tone !== 'warning' && !inRegion;
  const own = role ?? (tone === 'error' ? 'alert' : 'status');
  return (
    <div className={`${styles.notice ?? ''} ${styles[tone] ?? ''}`} role={isLive ? own : undefined}>
      <Icon glyph={GLYPHS[tone]} />
      <div className={styles.body}>{children}</div>
    </div>
  );
}
