import type { Course, Lesson } from './contract';

export type Progress = {
  done: number;
  total: number;
  /** Minutes of the lessons not yet completed; null when the platform does not tell of all of them. */
  minutesLeft: number | null;
};

/** How far a learner has come in a course, or in several. */
export function progressOf(lessons: readonly Lesson[]): Progress {
  const open = lessons.filter(({ status }) => status !== 'completed');
  const minutes = open.reduce<number | null>(
    (sum, lesson) => (sum === null || lesson.minutes === undefined ? null : sum + lesson.minutes),
    0,
  );
  return { done: lessons.length - open.length, total: lessons.length, minutesLeft: minutes };
}

/** Where a learner goes on: the lesson begun first, else the first one not begun; null when all are completed. */
export function nextLesson({ lessons }: Pick<Course, 'lessons'>): Lesson | null {
  const begun = lessons.find(({ status }) => status === 'in_progress');
  return begun ?? lessons.find(({ status }) => status === 'not_started') ?? null;
}

/** The course asked for, else the one opened last that is not finished, else the first. */
export function chosenCourse<C extends Course>(courses: readonly C[], id: unknown): C | null {
  const asked = courses.find((course) => course.id === id);
  const byLastOpened = [...courses].sort((a, b) => (b.lastOpenedOn ?? '').localeCompare(a.lastOpenedOn ?? ''));
  return asked ?? byLastOpened.find((course) => nextLesson(course) !== null) ?? courses[0] ?? null;
}
