import { useTranslation } from 'next-i18next/pages';
import type { Course } from '@/lib/courses/contract';
import { progressOf } from '@/lib/courses/progress';
import styles from './measures.module.css';

const HOUR = 60;

/** How far, as a bar and in words; nothing for a course without lessons. */
export function CourseProgress({ course }: { course: Course }) {
  const { t } = useTranslation('courses');
  const { done, total, minutesLeft } = progressOf(course.lessons);
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
