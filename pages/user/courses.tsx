import { CoursesScreen } from '@/components/courses/courses-screen';
import { loadCoursesPage, createPageProps, requireSessionPage } from '@/lib/server/web';

export const getServerSideProps = createPageProps('/user/courses', {}, requireSessionPage('courses', loadCoursesPage));

export default CoursesScreen;
