import { getJson } from '@/lib/api/client';
import { apiPaths } from '@/lib/paths';
import { FETCHING } from '@/lib/query-client';
import type { CoursesAnswer } from './contract';

/** A failure that another try does not mend: the session is over, and its upkeep says so. */
class SignedOut extends Error {}

/** The learner's courses as a query: asked for again after 150 s, kept for 300 s (specification, section 9). */
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
