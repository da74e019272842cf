import sample from '@/config/courses.sample.json';
import { ApiProblem } from '@/lib/shared/problem';
import { env, isLocalHost } from '@/lib/server/runtime';
import { parseCourses, type Course, type CoursesResponse } from '@/lib/shared/courses/contract';
import type { RequestWithCookies } from '@/lib/server/http';
import { getSessionCookie } from '@/lib/server/session';
import { fetchCourses } from './platform-api';

/**
 * The courses of the learner whose live session a request carries: from the platform's API when one is configured, else
 * the sample catalog, in the local default only (docs/product.md#screens).
 * @throws ApiProblem 503 when the platform does not respond
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

/** The sample catalog, with links to the example platform. */
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
