import type { ReactNode } from 'react';
import { Icon } from './icons';
import styles from './notice.module.css';

export type NoticeTone = 'error' | 'success' | 'info' | 'warning';

const GLYPHS = { error: 'alert', success: 'check', info: 'info', warning: 'alert' } as const;

type Props = {
  tone: NoticeTone;
  /** Set this if the notice is inside a live region. Its own region would announce it twice. */
  inRegion?: boolean;
  /** Set this for a message of another tone that appears late, because some screen readers ignore a late status. */
  role?: 'alert';
  children: ReactNode;
};

/**
 * A message that stays on the screen. Errors are announced assertively, others politely. A warning is not a live region,
 * because it contains buttons. Each change of a button would announce the whole warning again.
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
