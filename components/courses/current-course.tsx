import { useEffect, useRef } from 'react';
import { Button, ButtonLink } from '@/components/ui/button';
import { getNextLesson } from '@/lib/browser/courses/progress';
import { displayDate } from '@/lib/browser/dates';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { CourseCover } from './course-cover';
import { CourseProgress } from './course-progress';
import styles from './course-layout.module.css';
import { LessonTypes } from './lesson-types';
import type { ShownCourse } from './use-courses';

type Props = { course: ShownCourse; sidebar: { id: string; isHidden: boolean; toggle: () => void } };

/** The learner's position in the course, and the one button that continues from there. */
export function CurrentCourse({ course, sidebar }: Props) {
  const { t } = useMessages('courses');
  const language = useLanguage();
  const heading = useFocusOnChange(course.id);
  const next = getNextLesson(course);
  const isFinished = next === null && course.lessons.length > 0;
  const target = next?.url ?? course.url;
  const opened = displayDate(course.lastOpenedOn, language);
  return (
    <section className={styles.current} aria-labelledby="current-course">
      <CourseCover scene={course.scene} />
      <div className={styles.story}>
        <div className={styles.head}>
          <h2 id="current-course" ref={heading} tabIndex={-1}>
            <bdi>{course.title}</bdi>
          </h2>
          {course.summary !== undefined && (
            <p className={styles.soft}>
              <bdi>{course.summary}</bdi>
            </p>
          )}
          <LessonTypes lessons={course.lessons} />
        </div>
        <CourseProgress course={course} />
        <div className={styles.onward}>
          <p>
            {isFinished && t('finished')}
            {next !== null && t('next', { lesson: next.title })}
            {opened !== null && <span className={styles.opened}>{t('opened', { date: opened })}</span>}
          </p>
          <div className={styles.actions}>
            {target !== undefined && (
              <ButtonLink kind="primary" href={target}>
                {next !== null && next.status !== 'completed' && t(`go.${next.status}`)}
                {next === null && (isFinished ? t('again') : t('open'))}
              </ButtonLink>
            )}
            <Button
              kind="secondary"
              aria-expanded={!sidebar.isHidden}
              aria-controls={sidebar.id}
              onClick={sidebar.toggle}
            >
              {sidebar.isHidden ? t('lessons.show') : t('lessons.hide')}
            </Button>
          </div>
        </div>
      </div>
    </section>
  );
}

/** Moves keyboard and screen reader focus to a newly selected course. */
function useFocusOnChange(id: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(id);
  useEffect(() => {
    if (shown.current !== id) heading.current?.focus();
    shown.current = id;
  }, [id]);
  return heading;
}
