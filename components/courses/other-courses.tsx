import { PageLink } from '@/components/ui/page-link';
import { useMessages } from '@/lib/browser/use-messages';
import { paths, queryNames } from '@/lib/shared/paths';
import { CourseCover } from './course-cover';
import { CourseProgress } from './course-progress';
import styles from './other-courses.module.css';
import type { ShownCourse } from './use-courses';

/** The courses that are not selected; clicking one selects it. */
export function OtherCourses({ courses }: { courses: readonly ShownCourse[] }) {
  const { t } = useMessages('courses');
  return (
    <section className={styles.others} aria-labelledby="other-courses">
      <h2 id="other-courses">{t('others')}</h2>
      <ul>
        {courses.map((course) => (
          <li key={course.id} className={styles.card}>
            <CourseCover scene={course.scene} />
            <div className={styles.cardStory}>
              <h3>
                <PageLink href={`${paths.courses}?${queryNames.course}=${encodeURIComponent(course.id)}`} shallow>
                  <bdi>{course.title}</bdi>
                </PageLink>
              </h3>
              <CourseProgress course={course} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
