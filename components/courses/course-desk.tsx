import { CourseAtHand } from './course-at-hand';
import styles from './desk.module.css';
import { LessonSidebar } from './lesson-sidebar';
import { OtherCourses } from './other-courses';
import type { ShownCourse } from './use-courses';
import { useLessonSidebar } from './use-lesson-sidebar';

type Props = { course: ShownCourse; others: ShownCourse[]; sidebarHidden: boolean };

const SIDEBAR = 'lessons';

/** The selected course, its lessons beside it unless collapsed, and the other courses below. */
export function CourseDesk({ course, others, sidebarHidden }: Props) {
  const { isHidden, toggle } = useLessonSidebar(sidebarHidden);
  return (
    <div className={`${styles.desk ?? ''} ${isHidden ? '' : (styles.withSidebar ?? '')}`}>
      <CourseAtHand course={course} sidebar={{ id: SIDEBAR, isHidden, toggle }} />
      <LessonSidebar id={SIDEBAR} course={course} isHidden={isHidden} />
      {others.length > 0 && <OtherCourses courses={others} />}
    </div>
  );
}
