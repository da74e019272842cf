import type { Course, Lesson, CoursesResponse } from '@/lib/shared/courses/contract';
import { getJson } from '@/lib/browser/api-client';
import { apiPaths } from '@/lib/shared/api-paths';
import { FETCHING } from '@/lib/browser/query-client';

/** Query parameter of /user/courses with the course to show. */
export const COURSE_QUERY = 'course';

type Progress = {
  done: number;
  total: number;
  /** Minutes of the uncompleted lessons. Null if the platform does not report all of them. */
  minutesLeft: number | null;
};

/** Computes the learner's progress in the lessons of one or more courses. */
export function getProgress(lessons: readonly Lesson[]): Progress {
  const open = lessons.filter(({ status }) => status !== 'completed');
  const minutes = open.reduce<number | null>(
    (sum, lesson) => (sum === null || lesson.minutes === undefined ? null : sum + lesson.minutes),
    0,
  );
  return { done: lessons.length - open.length, total: lessons.length, minutesLeft: minutes };
}

/** Returns the next lesson: the first in progress, else the first not started. Null if all are completed. */
export function getNextLesson({ lessons }: Pick<Course, 'lessons'>): Lesson | null {
  const begun = lessons.find(({ status }) => status === 'in_progress');
  return begun ?? lessons.find(({ status }) => status === 'not_started') ?? null;
}

/** Returns the requested course, else the most recently opened unfinished course, else the first. */
export function getChosenCourse<C extends Course>(courses: readonly C[], id: unknown): C | null {
  const requested = courses.find((course) => course.id === id);
  const byLastOpened = [...courses].sort((a, b) => (b.lastOpenedOn ?? '').localeCompare(a.lastOpenedOn ?? ''));
  return requested ?? byLastOpened.find((course) => getNextLesson(course) !== null) ?? courses[0] ?? null;
}

/** A failure that a retry cannot fix, because the session has ended. `SessionPoller` handles it. */
class SignedOut extends Error {}

/** Query of the learner's courses: stale after 150 s, cached for 300 s (docs/product.md#constants). */
export const coursesQuery = {
  queryKey: ['courses'],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<CoursesResponse> => {
    const result = await getJson<CoursesResponse>(apiPaths.courses, signal);
    if (result.ok) return result.data;
    if (result.status === 401) throw new SignedOut();
    throw new Error(`The courses could not be loaded: ${result.code}`);
  },
  staleTime: FETCHING.staleSoon,
  gcTime: FETCHING.keepUnused,
  retry: (failures: number, error: Error) => !(error instanceof SignedOut) && failures < FETCHING.retries,
};
