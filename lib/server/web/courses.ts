import { stringifyCookie } from 'cookie';
import sample from '@/config/courses.sample.json';
import { readCookie, type RequestWithCookies } from '@/lib/server/http';
import { env, getOwnTraceHeaders, isLocalHost, readJson } from '@/lib/server/runtime';
import { getSessionCookie, type LiveSession } from '@/lib/server/session';
import { cookieTable } from '@/lib/shared/cookie-table';
import { parseCourses, type Course, type CoursesResponse } from '@/lib/shared/courses/contract';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem } from '@/lib/shared/problem';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import type { PageContext, Loading } from './page';
import { abortAfter } from '@/lib/shared/time-limit';

/** Timeout of a request to the platform. */
const REQUEST_TIMEOUT_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;
const MAX_RESPONSE_BYTES = 5_000_000;

/**
 * Fetches a learner's courses from the platform's API: `GET {platform API}/user/courses` with the learner's own session
 * cookie, which the platform verifies with this app.
 * @throws ApiProblem 503 if the platform does not respond, or its response is invalid
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
      signal: abortAfter(REQUEST_TIMEOUT_MS),
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

/**
 * Returns the courses of the learner whose live session a request has. They come from the platform's API if configured.
 * Otherwise, localhost shows the sample catalog (docs/product.md#screens).
 * @throws ApiProblem 503 if the platform does not respond
 */
export async function getCourses(req: RequestWithCookies): Promise<CoursesResponse> {
  const { PLATFORM_API_URL: platformApi, NEXT_PUBLIC_PLATFORM_ORIGIN: platform } = env();
  if (platformApi !== undefined) {
    const session = getSessionCookie(req);
    if (session === null) throw new ApiProblem('session-required');
    return { courses: await fetchCourses(platformApi, session), elsewhere: false };
  }
  return isLocalHost(new URL(platform).hostname)
    ? { courses: sampleCourses(platform), elsewhere: false }
    : { courses: [], elsewhere: true };
}

/** Builds the sample catalog, with links to the example platform. */
function sampleCourses(platform: string): Course[] {
  return parseCourses(sample).courses.map((course) => {
    const url = new URL(`/user/courses/${course.id}`, platform).href;
    return {
      ...course,
      url,
      lessons: course.lessons.map((lesson) => ({ ...lesson, url: `${url}?lesson=${lesson.id}` })),
    };
  });
}

/** How long the page waits for the platform before the browser makes the request. */
const COURSES_TIMEOUT_MS = 800;

type CoursesPageProps = {
  /** Null if the platform timed out or failed. */
  initialCourses: CoursesResponse | null;
  sidebarHidden: boolean;
};

/** Loads /user/courses: the courses if they arrive in time, and the learner's sidebar setting. */
export async function loadCoursesPage(_session: LiveSession, { req }: PageContext): Loading<CoursesPageProps> {
  // The failing code has reported the error, and the browser retries.
  const initialCourses = await promiseTimeout(getCourses(req), COURSES_TIMEOUT_MS).catch(() => null);
  return { props: { initialCourses, sidebarHidden: readCookie(req, 'lessonSidebarHidden') === '1' } };
}
