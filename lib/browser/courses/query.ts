import { getJson } from '@/lib/browser/api-client';
import { apiPaths } from '@/lib/shared/api-paths';
import { FETCHING } from '@/lib/browser/query-client';
import type { CoursesResponse } from '@/lib/shared/courses/contract';

/** A failure that a retry cannot fix: the session has ended, and `SessionPoller` handles it. */
class SignedOut extends Error {}

/** The learner's courses as a query: stale after 150 s, cached for 300 s (docs/product.md#constants). */
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
