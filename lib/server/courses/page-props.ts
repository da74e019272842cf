import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { cookieTable } from '@/lib/cookies/table';
import type { CoursesAnswer } from '@/lib/courses/contract';
import { promiseTimeout } from '@/lib/promise-timeout';
import type { LiveSession } from '../session';
import { coursesOf } from '.';

/** How long the page waits for the platform before the browser is left to ask, in milliseconds. */
const BUDGET = 800;

export type CoursesPageProps = {
  /** Null when the platform was late or failed. */
  answer: CoursesAnswer | null;
  /** The learner has put the lesson sidebar away. */
  sidebarHidden: boolean;
};

/** What /user/courses needs: the courses where they come in time, and the sidebar as the learner left it. */
export async function loadCoursesPage(
  _session: LiveSession,
  { req }: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<CoursesPageProps>> {
  // Failures are reported where they happen; the browser asks again.
  const answer = await promiseTimeout(coursesOf(req), BUDGET).catch(() => null);
  return { props: { answer, sidebarHidden: req.cookies[cookieTable.lessonSidebarHidden.name] === '1' } };
}
