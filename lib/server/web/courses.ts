import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { cookieTable } from '@/lib/shared/cookie-table';
import type { CoursesResponse } from '@/lib/shared/courses/contract';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import type { LiveSession } from '@/lib/server/session';
import { getCourses } from './platform/courses';

/** How long the page waits for the platform before the browser makes the request, in milliseconds. */
const COURSES_TIMEOUT_MS = 800;

export type CoursesPageProps = {
  /** Null when the platform timed out or failed. */
  initialCourses: CoursesResponse | null;
  /** The learner has hidden the lesson sidebar. */
  sidebarHidden: boolean;
};

/** Props of /user/courses: the courses if they arrive in time, and the learner's sidebar setting. */
export async function loadCoursesPage(
  _session: LiveSession,
  { req }: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<CoursesPageProps>> {
  // Failures are reported where they happen; the browser retries.
  const initialCourses = await promiseTimeout(getCourses(req), COURSES_TIMEOUT_MS).catch(() => null);
  return { props: { initialCourses, sidebarHidden: req.cookies[cookieTable.lessonSidebarHidden.name] === '1' } };
}
