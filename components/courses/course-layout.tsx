import { useState } from 'react';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { writeCookie } from '@/lib/browser/cookies';
import { CurrentCourse } from './current-course';
import styles from './course-layout.module.css';
import { LessonSidebar } from './lesson-sidebar';
import { OtherCourses } from './other-courses';
import type { ShownCourse } from './use-courses';

type Props = { course: ShownCourse; others: ShownCourse[]; sidebarHidden: boolean };

const SIDEBAR = 'lessons';

/** The selected course, its lessons beside it unless collapsed, and the other courses below. */
export function CourseLayout({ course, others, sidebarHidden }: Props) {
  const { isHidden, toggle } = useLessonSidebar(sidebarHidden);
  return (
    <div className={`${styles.layout ?? ''} ${isHidden ? '' : (styles.withSidebar ?? '')}`}>
      <CurrentCourse course={course} sidebar={{ id: SIDEBAR, isHidden, toggle }} />
      <LessonSidebar id={SIDEBAR} course={course} isHidden={isHidden} />
      {others.length > 0 && <OtherCourses courses={others} />}
    </div>
  );
}

/** Whether the lesson sidebar is collapsed; stored in a cookie so that the next page renders in the same state. */
function useLessonSidebar(startsHidden: boolean) {
  const { mainDomain } = usePublicEnv();
  const [isHidden, setHidden] = useState(startsHidden);
  const toggle = () => {
    setHidden(!isHidden);
    writeCookie('lessonSidebarHidden', isHidden ? '0' : '1', mainDomain);
  };
  return { isHidden, toggle };
}
