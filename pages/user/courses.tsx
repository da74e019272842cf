import { CoursesScreen } from '@/components/courses/courses-screen';
import { loadCoursesPage, type CoursesPageProps, createPageProps, requireSessionPage } from '@/lib/server/web';

export const getServerSideProps = createPageProps('/user/courses', {}, requireSessionPage('courses', loadCoursesPage));

export default function CoursesPage({ initialCourses, sidebarHidden }: CoursesPageProps) {
  return <CoursesScreen initialCourses={initialCourses} sidebarHidden={sidebarHidden} />;
}
