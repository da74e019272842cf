import { getJson } from '@/lib/browser/api-client';
import { apiPaths } from '@/lib/shared/paths';
import { FETCHING } from '@/lib/browser/query-client';
import type { CoursesAnswer } from '@/lib/shared/courses/contract';

/** A failure that a retry cannot fix: the session has ended, and `SessionPoller` handles it. */
class SignedOut extends Error {}

/** The learner's courses as a query: stale after 150 s, cached for 300 s (docs/product.md#constants). */
export const coursesQuery = {
  queryKey: ['courses'],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<CoursesAnswer> => {
    const answer = await getJson<CoursesAnswer>(apiPaths.courses, signal);
    if (answer.ok) return answer.data;
    if (answer.status === 401) throw new SignedOut();
    throw new Error(`The courses could not be loaded: ${answer.code}`);
  },
  staleTime: FETCHING.staleSoon,
  gcTime: FETCHING.keepUnused,
  retry: (failures: number, error: Error) => !(error instanceof SignedOut) && failures < FETCHING.retries,
};
