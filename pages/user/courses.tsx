import { CoursesScreen } from '@/components/courses/courses-screen';
import { loadCoursesPage, type CoursesPageProps } from '@/lib/server/web/courses';
import { createPageProps } from '@/lib/server/web/page';
import { requireSessionPage } from '@/lib/server/web/session-page';

export const getServerSideProps = createPageProps('/user/courses', {}, requireSessionPage('courses', loadCoursesPage));

export default function CoursesPage({ initialCourses, sidebarHidden }: CoursesPageProps) {
  return <CoursesScreen initialCourses={initialCourses} sidebarHidden={sidebarHidden} />;
}
