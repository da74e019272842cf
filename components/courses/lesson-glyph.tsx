import type { ReactNode } from 'react';
import { Strokes } from '@/components/ui/icons';
import type { LessonType, ProgressStatus } from '@/lib/shared/courses/lesson-kinds';
import styles from './lessons.module.css';

const TYPES: Record<LessonType, ReactNode> = {
  video: <path d="M3.5 5.5h17v13h-17zM10 9v6l5-3z" />,
  lab: <path d="M9 3.5h6M10 3.5v6L4.5 19a1 1 0 0 0 .9 1.5h13.2a1 1 0 0 0 .9-1.5L14 9.5v-6M7.5 15h9" />,
  article: <path d="M6 3.5h8.5L19 8v12.5H6zM14 3.5V8.5h5M9 12.5h7M9 16h5" />,
  quiz: <path d="M4 4.5h16v12h-9l-4 4v-4H4zM9.8 8.8a2.2 2.2 0 1 1 3 2.2c-.6.2-.8.6-.8 1.2M12 14v.3" />,
  feedback: <path d="M12 19.5S4 14.8 4 9.3A4.2 4.2 0 0 1 12 7.4a4.2 4.2 0 0 1 8 1.9c0 5.5-8 10.2-8 10.2z" />,
};

/** A lesson's type as a stroked icon, next to text with the same meaning. */
export function LessonGlyph({ type }: { type: LessonType }) {
  return <Strokes size="1.125em">{TYPES[type]}</Strokes>;
}

const STATUSES: Record<ProgressStatus, ReactNode> = {
  completed: <path className={styles.tick} d="M7.5 12.3l3 3 6-6.6" />,
  in_progress: <path className={styles.half} d="M12 6.5a5.5 5.5 0 0 1 0 11z" />,
  not_started: null,
};

/** A lesson's status as a stop on the path: empty, half, or checked. */
export function StatusMark({ status }: { status: ProgressStatus }) {
  return (
    <svg
      viewBox="0 0 24 24"
      className={`${styles.mark ?? ''} ${styles[status] ?? ''}`}
      aria-hidden="true"
      focusable="false"
    >
      <circle cx="12" cy="12" r="9.5" />
      {STATUSES[status]}
    </svg>
  );
}
