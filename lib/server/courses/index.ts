import type { IncomingMessage } from 'node:http';
import sample from '@/config/courses.sample.json';
import { ApiProblem } from '@/lib/api/problem';
import { env } from '@/lib/config/env';
import { readCourses, type Course, type CoursesAnswer } from '@/lib/courses/contract';
import { isLocalHost } from '../http/origins';
import { sessionCookieOf } from '../session';
import { fetchCourses } from './platform-api';

/**
 * The courses of the learner whose live session a request carries: from the platform's API when one is configured, else
 * the sample catalogue, in the local default only (product decisions, 6).
 * @throws ApiProblem 503 when the platform does not answer
 */
export async function coursesOf(
  req: IncomingMessage & { cookies: Partial<Record<string, string>> },
): Promise<CoursesAnswer> {
  const { PLATFORM_API_URL: platformApi, NEXT_PUBLIC_PLATFORM_ORIGIN: platform } = env();
  if (platformApi !== undefined) {
    const session = sessionCookieOf(req);
    if (session === null) throw new ApiProblem('session-required');
    return { courses: await fetchCourses(platformApi, session), elsewhere: false };
  }
  return isLocalHost(new URL(platform).hostname)
    ? { courses: sampleCourses(platform), elsewhere: false }
    : { courses: [], elsewhere: true };
}

/** The sample catalogue, at home on the example platform. */
function sampleCourses(platform: string): Course[] {
  return readCourses(sample).courses.map((course) => {
    const url = new URL(`/user/courses/${course.id}`, platform).href;
    return {
      ...course,
      url,
      lessons: course.lessons.map((lesson) => ({ ...lesson, url: `${url}?lesson=${lesson.id}` })),
    };
  });
}
