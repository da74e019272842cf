import { expect, it } from 'vitest';
import { coursesQuery } from './courses';
import { queryClient } from './query-client';

const { queries } = queryClient().getDefaultOptions();

it('retries three times, with an increasing delay of at most 30 s', () => {
  const delay = queries?.retryDelay;
  if (typeof delay !== 'function') throw new Error('The wait does not grow');
  expect(queries?.retry).toBe(3);
  expect([0, 1, 2, 10].map((attempt) => delay(attempt, new Error()))).toEqual([1_000, 2_000, 4_000, 30_000]);
});

it('caches data for 5 minutes; courses are stale after 150 s', () => {
  expect(queries).toMatchObject({ staleTime: 300_000, gcTime: 300_000 });
  expect(coursesQuery).toMatchObject({ staleTime: 150_000, gcTime: 300_000 });
});

it('shares no cache between requests on the server', () => {
  expect(queryClient()).not.toBe(queryClient());
});
