import { CoursesScreen } from '@/components/courses/courses-screen';
import { loadCoursesPage, type CoursesPageProps } from '@/lib/server/courses/page-props';
import { servePage } from '@/lib/server/page';
import { sessionPage } from '@/lib/server/session-page';

export const getServerSideProps = servePage('/user/courses', {}, sessionPage('courses', loadCoursesPage));

export default function CoursesPage({ answer, sidebarHidden }: CoursesPageProps) {
  return <CoursesScreen answer={answer} sidebarHidden={sidebarHidden} />;
}
