import { expect, it } from 'vitest';
import sample from '@/config/courses.sample.json';
import { LESSON_TYPES, parseCourses, PROGRESS_STATUSES } from './contract';
import { getChosenCourse, getNextLesson, getProgress } from '@/lib/browser/courses';

const { courses, dropped } = parseCourses(sample);

it('the sample catalog is valid and contains every type and status', () => {
  expect(dropped).toBe(0);
  const lessons = courses.flatMap((course) => course.lessons);
  expect(new Set(lessons.map(({ type }) => type))).toEqual(new Set(LESSON_TYPES));
  expect(new Set(lessons.map(({ status }) => status))).toEqual(new Set(PROGRESS_STATUSES));
});

it('drops invalid entries only', () => {
  const good = { id: 'a', title: 'A', type: 'video', status: 'completed' };
  const input = {
    courses: [
      {
        id: 'one',
        title: 'One',
        extra: true,
        lessons: [good, { ...good, type: 'hologram' }, { ...good, url: 'javascript:alert(1)' }, null, 'x'],
      },
      { id: 'two words', title: 'Two', lessons: [] },
      { id: 'three', title: 'Three', lessons: [], lastOpenedOn: 'yesterday' },
    ],
  };
  expect(parseCourses(input)).toEqual({ courses: [{ id: 'one', title: 'One', lessons: [good] }], dropped: 6 });
  expect(() => parseCourses({ error: 'nope' })).toThrow();
  expect(() => parseCourses([])).toThrow();
});

it('counts finished and remaining lessons', () => {
  const lessons = courses[0]?.lessons ?? [];
  expect(getProgress(lessons)).toEqual({ done: 3, total: 8, minutesLeft: 35 + 10 + 16 + 40 + 3 });
  expect(getProgress(lessons.map((lesson) => ({ ...lesson, minutes: undefined }))).minutesLeft).toBeNull();
  expect(getProgress([])).toEqual({ done: 0, total: 0, minutesLeft: 0 });
});

it('resumes at the current lesson, else at the first one not started', () => {
  const [begun, , finished] = courses;
  expect(begun && getNextLesson(begun)?.id).toBe('shape-of-a-sample');
  expect(begun && getNextLesson({ lessons: begun.lessons.filter(({ status }) => status !== 'in_progress') })?.id).toBe(
    'check-samples',
  );
  expect(finished && getNextLesson(finished)).toBeNull();
});

it('shows the requested course, else the last opened unfinished one', () => {
  expect(getChosenCourse(courses, 'the-night-sky')?.id).toBe('the-night-sky');
  for (const id of [undefined, 'unknown', ['a'], '__proto__'])
    expect(getChosenCourse(courses, id)?.id).toBe('statistics-without-fear');
  expect(getChosenCourse([], 'x')).toBeNull();
});
