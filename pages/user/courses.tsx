import { CoursesScreen } from '@/components/courses/courses-screen';
import { loadCoursesPage, type CoursesPageProps } from '@/lib/server/page-props/courses';
import { createPageProps } from '@/lib/server/page-props/page';
import { requireSessionPage } from '@/lib/server/page-props/session-page';

export const getServerSideProps = createPageProps('/user/courses', {}, requireSessionPage('courses', loadCoursesPage));

export default function CoursesPage({ initialCourses, sidebarHidden }: CoursesPageProps) {
  return <CoursesScreen initialCourses={initialCourses} sidebarHidden={sidebarHidden} />;
}
