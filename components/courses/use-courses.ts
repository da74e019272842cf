import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/router';
import type { Course, CoursesAnswer } from '@/lib/courses/contract';
import { chosenCourse, progressOf, type Progress } from '@/lib/courses/progress';
import { coursesQuery } from '@/lib/courses/query';
import { queryNames } from '@/lib/paths';

/** A course with the number of its picture. */
export type ShownCourse = Course & { scene: number };

type CoursesState =
  | { name: 'loading' }
  | { name: 'failed'; retry: () => void; isRetrying: boolean }
  | { name: 'shown'; course: ShownCourse | null; others: ShownCourse[]; progress: Progress };

/** The learner's courses and the one at hand, which the address names. @param answer what came with the page */
export function useCourses(answer: CoursesAnswer | null): CoursesState {
  const { query } = useRouter();
  const { data, isError, isFetching, refetch } = useQuery({
    ...coursesQuery,
    ...(answer === null ? {} : { initialData: answer }),
  });
  if (data === undefined)
    return isError ? { name: 'failed', retry: () => void refetch(), isRetrying: isFetching } : { name: 'loading' };
  const courses = data.courses.map((found, scene) => ({ ...found, scene }));
  const course = chosenCourse(courses, query[queryNames.course]);
  const others = courses.filter(({ id }) => id !== course?.id);
  return { name: 'shown', course, others, progress: progressOf(courses.flatMap(({ lessons }) => lessons)) };
}
