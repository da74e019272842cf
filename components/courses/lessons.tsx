import type { ReactNode } from 'react';
import type { Course, Lesson, LessonType, ProgressStatus } from '@/lib/shared/courses/contract';
import { getNextLesson } from '@/lib/browser/courses';
import { useMessages } from '@/lib/browser/use-messages';
import { Strokes } from '@/components/ui/icons';
import styles from './lessons.module.css';
import courseStyles from './course-parts.module.css';

type Props = { id: string; course: Course; isHidden: boolean };

/** The lessons of the selected course, as stops on a path. */
export function LessonSidebar({ id, course, isHidden }: Props) {
  const { t } = useMessages('courses');
  const next = getNextLesson(course);
  return (
    <aside id={id} className={styles.sidebar} aria-labelledby="lessons-heading" hidden={isHidden}>
      <h3 id="lessons-heading">{t('lessons.heading')}</h3>
      {course.lessons.length === 0 && <p className={styles.none}>{t('lessons.none')}</p>}
      <ol className={styles.lessons}>
        {course.lessons.map((lesson) => (
          <LessonItem key={lesson.id} lesson={lesson} isNext={lesson.id === next?.id} />
        ))}
      </ol>
    </aside>
  );
}

function LessonItem({ lesson, isNext }: { lesson: Lesson; isNext: boolean }) {
  const { t } = useMessages('courses');
  const { title, type, status, minutes, url } = lesson;
  return (
    <li className={isNext ? styles.next : undefined}>
      <StatusMark status={status} />
      <div>
        {url === undefined ? (
          <span className={styles.title}>
            <bdi>{title}</bdi>
          </span>
        ) : (
          <a className={styles.title} href={url} aria-current={isNext ? 'step' : undefined}>
            <bdi>{title}</bdi>
          </a>
        )}
        <p className={styles.facts}>
          <LessonGlyph type={type} />
          <span>{t(`lessons.types.${type}`)}</span>
          {minutes !== undefined && <span>{t('lessons.minutes', { minutes })}</span>}
          <span>{t(`lessons.statuses.${status}`)}</span>
        </p>
      </div>
    </li>
  );
}

/** The number of lessons by type, such as videos and labs. */
export function LessonTypes({ lessons }: { lessons: readonly Lesson[] }) {
  const { t } = useMessages('courses');
  const counted = (Object.keys(GLYPHS) as LessonType[]).map((type) => ({
    type,
    count: lessons.filter((lesson) => lesson.type === type).length,
  }));
  return (
    <ul className={courseStyles.types}>
      {counted
        .filter(({ count }) => count > 0)
        .map(({ type, count }) => (
          <li key={type}>
            <LessonGlyph type={type} />
            <span>{t(`lessons.counted.${type}`, { count })}</span>
          </li>
        ))}
    </ul>
  );
}

/** In display order. */
const GLYPHS: Record<LessonType, ReactNode> = {
  video: <path d="M3.5 5.5h17v13h-17zM10 9v6l5-3z" />,
  lab: <path d="M9 3.5h6M10 3.5v6L4.5 19a1 1 0 0 0 .9 1.5h13.2a1 1 0 0 0 .9-1.5L14 9.5v-6M7.5 15h9" />,
  article: <path d="M6 3.5h8.5L19 8v12.5H6zM14 3.5V8.5h5M9 12.5h7M9 16h5" />,
  quiz: <path d="M4 4.5h16v12h-9l-4 4v-4H4zM9.8 8.8a2.2 2.2 0 1 1 3 2.2c-.6.2-.8.6-.8 1.2M12 14v.3" />,
  feedback: <path d="M12 19.5S4 14.8 4 9.3A4.2 4.2 0 0 1 12 7.4a4.2 4.2 0 0 1 8 1.9c0 5.5-8 10.2-8 10.2z" />,
};

/** A lesson's type as a stroked icon, next to text with the same meaning. */
function LessonGlyph({ type }: { type: LessonType }) {
  return <Strokes size="1.125em">{GLYPHS[type]}</Strokes>;
}

const STATUSES: Record<ProgressStatus, ReactNode> = {
  completed: <path className={styles.tick} d="M7.5 12.3l3 3 6-6.6" />,
  in_progress: <path className={styles.half} d="M12 6.5a5.5 5.5 0 0 1 0 11z" />,
  not_started: null,
};

/** A lesson's status as a stop on the path: empty, half, or checked. */
function StatusMark({ status }: { status: ProgressStatus }) {
  return (
    <svg viewBox="0 0 24 24" className={`${styles.mark ?? ''} ${styles[status] ?? ''}`} aria-hidden="true">
      <circle cx="12" cy="12" r="9.5" />
      {STATUSES[status]}
    </svg>
  );
}
