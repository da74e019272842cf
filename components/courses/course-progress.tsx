import type { Course } from '@/lib/shared/courses/contract';
import { getProgress } from '@/lib/browser/courses/progress';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './measures.module.css';

const HOUR = 60;

/** Progress as a bar and as text; nothing for a course without lessons. */
export function CourseProgress({ course }: { course: Course }) {
  const { t } = useMessages('courses');
  const { done, total, minutesLeft } = getProgress(course.lessons);
  if (total === 0) return null;
  const hours = Math.floor((minutesLeft ?? 0) / HOUR);
  const minutes = (minutesLeft ?? 0) % HOUR;
  return (
    <div className={styles.progress}>
      <progress value={done} max={total} aria-label={t('progress.label', { course: course.title })} />
      <p className={styles.small}>
        {t('progress.lessons', { done, count: total })}
        {minutesLeft !== null && minutesLeft > 0 && (
          <span>
            {hours > 0 ? t('progress.hoursLeft', { hours, minutes }) : t('progress.minutesLeft', { minutes })}
          </span>
        )}
      </p>
    </div>
  );
}
