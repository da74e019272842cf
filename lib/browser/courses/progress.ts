import type { Course, Lesson } from '@/lib/shared/courses/contract';

export type Progress = {
  done: number;
  total: number;
  /** Minutes of the uncompleted lessons; null if the platform does not report all of them. */
  minutesLeft: number | null;
};

/** The learner's progress in one or more courses. */
export function getProgress(lessons: readonly Lesson[]): Progress {
  const open = lessons.filter(({ status }) => status !== 'completed');
  const minutes = open.reduce<number | null>(
    (sum, lesson) => (sum === null || lesson.minutes === undefined ? null : sum + lesson.minutes),
    0,
  );
  return { done: lessons.length - open.length, total: lessons.length, minutesLeft: minutes };
}

/** The next lesson: the first one in progress, else the first one not started; null when all are completed. */
export function getNextLesson({ lessons }: Pick<Course, 'lessons'>): Lesson | null {
  const begun = lessons.find(({ status }) => status === 'in_progress');
  return begun ?? lessons.find(({ status }) => status === 'not_started') ?? null;
}

/** The requested course, else the most recently opened unfinished one, else the first. */
export function getChosenCourse<C extends Course>(courses: readonly C[], id: unknown): C | null {
  const requested = courses.find((course) => course.id === id);
  const byLastOpened = [...courses].sort((a, b) => (b.lastOpenedOn ?? '').localeCompare(a.lastOpenedOn ?? ''));
  return requested ?? byLastOpened.find((course) => getNextLesson(course) !== null) ?? courses[0] ?? null;
}
