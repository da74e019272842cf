import { stringifyCookie } from 'cookie';
import { ApiProblem } from '@/lib/shared/problem';
import { cookieTable } from '@/lib/shared/cookie-table';
import { parseCourses, type Course } from '@/lib/shared/courses/contract';
import { reportError } from '@/lib/shared/error-reporting/report';
import { readJson, getOwnTraceHeaders } from '@/lib/server/runtime';

/** Timeout of the platform, in milliseconds, and retry delay, in seconds. */
const REQUEST_TIMEOUT_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;
/** Maximum size of a response, in bytes. */
const MAX_RESPONSE_BYTES = 5_000_000;

/**
 * Fetches a learner's courses from the platform's API: `GET {platform API}/user/courses` with the learner's own session
 * cookie, which the platform verifies with this app.
 * @throws ApiProblem 503 when the platform does not respond, or not as specified
 */
export async function fetchCourses(platformApi: string, session: string): Promise<Course[]> {
  try {
    const response = await fetch(new URL('/user/courses', platformApi), {
      headers: {
        ...getOwnTraceHeaders(),
        accept: 'application/json',
        cookie: stringifyCookie({ [cookieTable.session.name]: session }),
      },
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`The platform answered ${String(response.status)} for courses`);
    }
    const { courses, dropped } = parseCourses(await readJson(response, MAX_RESPONSE_BYTES));
    if (dropped > 0) reportError(new Error('Courses of the platform do not match the schema'), { dropped });
    return courses;
  } catch (cause) {
    reportError(cause, { during: 'loading courses' });
    throw new ApiProblem('provider-unavailable', { retryAfter: RETRY_AFTER_SECONDS, cause });
  }
}
