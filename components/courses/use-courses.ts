import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/router';
import type { Course, CoursesResponse } from '@/lib/shared/courses/contract';
import { getChosenCourse, getProgress, type Progress } from '@/lib/browser/courses/progress';
import { coursesQuery } from '@/lib/browser/courses/query';
import { queryNames } from '@/lib/shared/paths';

/** A course with the number of its picture. */
export type ShownCourse = Course & { scene: number };

type CoursesState =
  | { name: 'loading' }
  | { name: 'failed'; retry: () => void; isRetrying: boolean }
  | { name: 'shown'; course: ShownCourse | null; others: ShownCourse[]; progress: Progress };

/** The learner's courses, and the one selected by the URL. @param initialCourses the server-rendered data */
export function useCourses(initialCourses: CoursesResponse | null): CoursesState {
  const { query } = useRouter();
  const { data, isError, isFetching, refetch } = useQuery({
    ...coursesQuery,
    ...(initialCourses === null ? {} : { initialData: initialCourses }),
  });
  if (data === undefined)
    return isError ? { name: 'failed', retry: () => void refetch(), isRetrying: isFetching } : { name: 'loading' };
  const courses = data.courses.map((found, scene) => ({ ...found, scene }));
  const course = getChosenCourse(courses, query[queryNames.course]);
  const others = courses.filter(({ id }) => id !== course?.id);
  return { name: 'shown', course, others, progress: getProgress(courses.flatMap(({ lessons }) => lessons)) };
}
