import type { Course, Lesson } from '@/lib/shared/courses/contract';
import { getNextLesson } from '@/lib/browser/courses/progress';
import { useMessages } from '@/lib/browser/use-messages';
import { LessonGlyph, StatusMark } from './lesson-glyph';
import styles from './lessons.module.css';

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
          {t(`lessons.types.${type}`)}
          {minutes !== undefined && <span>{t('lessons.minutes', { minutes })}</span>}
          <span>{t(`lessons.statuses.${status}`)}</span>
        </p>
      </div>
    </li>
  );
}
