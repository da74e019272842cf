import { expect, it } from 'vitest';
import { coursesQuery } from './courses/query';
import { queryClient } from './query-client';

const { queries } = queryClient().getDefaultOptions();

it('tries three times more, waiting longer each time, up to 30 s', () => {
  const delay = queries?.retryDelay;
  if (typeof delay !== 'function') throw new Error('The wait does not grow');
  expect(queries?.retry).toBe(3);
  expect([0, 1, 2, 10].map((attempt) => delay(attempt, new Error()))).toEqual([1_000, 2_000, 4_000, 30_000]);
});

it('keeps data for 5 minutes, and takes courses for old after 150 s', () => {
  expect(queries).toMatchObject({ staleTime: 300_000, gcTime: 300_000 });
  expect(coursesQuery).toMatchObject({ staleTime: 150_000, gcTime: 300_000 });
});

it('keeps nothing between learners on the server', () => {
  expect(queryClient()).not.toBe(queryClient());
});
