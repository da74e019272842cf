import { expect, it } from 'vitest';
import sample from '@/config/courses.sample.json';
import { readCourses } from './contract';
import { LESSON_TYPES, PROGRESS_STATUSES } from './lesson-kinds';
import { chosenCourse, nextLesson, progressOf } from './progress';

const { courses, dropped } = readCourses(sample);

it('the sample catalogue is as agreed and shows every type and status', () => {
  expect(dropped).toBe(0);
  const lessons = courses.flatMap((course) => course.lessons);
  expect(new Set(lessons.map(({ type }) => type))).toEqual(new Set(LESSON_TYPES));
  expect(new Set(lessons.map(({ status }) => status))).toEqual(new Set(PROGRESS_STATUSES));
});

it('leaves out what is not as agreed, and nothing else', () => {
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
  expect(readCourses(input)).toEqual({ courses: [{ id: 'one', title: 'One', lessons: [good] }], dropped: 6 });
  expect(() => readCourses({ error: 'nope' })).toThrow();
  expect(() => readCourses([])).toThrow();
});

it('counts what is done and what is left', () => {
  const lessons = courses[0]?.lessons ?? [];
  expect(progressOf(lessons)).toEqual({ done: 3, total: 8, minutesLeft: 35 + 10 + 16 + 40 + 3 });
  expect(progressOf(lessons.map((lesson) => ({ ...lesson, minutes: undefined }))).minutesLeft).toBeNull();
  expect(progressOf([])).toEqual({ done: 0, total: 0, minutesLeft: 0 });
});

it('goes on where the learner was, else at the first lesson not begun', () => {
  const [begun, , finished] = courses;
  expect(begun && nextLesson(begun)?.id).toBe('shape-of-a-sample');
  expect(begun && nextLesson({ lessons: begun.lessons.filter(({ status }) => status !== 'in_progress') })?.id).toBe('check-samples'); // prettier-ignore
  expect(finished && nextLesson(finished)).toBeNull();
});

it('shows the course asked for, else the one opened last and not finished', () => {
  expect(chosenCourse(courses, 'the-night-sky')?.id).toBe('the-night-sky');
  for (const id of [undefined, 'unknown', ['a'], '__proto__'])
    expect(chosenCourse(courses, id)?.id).toBe('statistics-without-fear');
  expect(chosenCourse([], 'x')).toBeNull();
});
