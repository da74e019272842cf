import { stringifyCookie } from 'cookie';
import { ApiProblem } from '@/lib/api/problem';
import { cookieTable } from '@/lib/cookies/table';
import { readCourses, type Course } from '@/lib/courses/contract';
import { reportError } from '@/lib/sentry/report';
import { readJson } from '../http/answer';

/** How long the platform may take, in milliseconds, and when to ask again, in seconds. */
const PATIENCE = 5_000;
const RETRY_AFTER = 5;
/** Longest answer that is read, in bytes. */
const LONGEST_ANSWER = 5_000_000;

/**
 * Asks the platform's API for a learner's courses: `GET {platform API}/user/courses` with the learner's own session
 * cookie, by which the platform asks us who it is.
 * @throws ApiProblem 503 when the platform does not answer, or not as agreed
 */
export async function fetchCourses(platformApi: string, session: string): Promise<Course[]> {
  try {
    const response = await fetch(new URL('/user/courses', platformApi), {
      headers: { accept: 'application/json', cookie: stringifyCookie({ [cookieTable.session.name]: session }) },
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`The platform answered ${String(response.status)} for courses`);
    }
    const { courses, dropped } = readCourses(await readJson(response, LONGEST_ANSWER));
    if (dropped > 0) reportError(new Error('Courses of the platform are not as agreed'), { dropped });
    return courses;
  } catch (cause) {
    reportError(cause, { during: 'loading courses' });
    throw new ApiProblem('provider-unavailable', { retryAfter: RETRY_AFTER, cause });
  }
}
