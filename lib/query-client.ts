import { QueryClient } from '@tanstack/react-query';

/** Data fetching constants (specification, section 9), in milliseconds. */
export const FETCHING = {
  retries: 3,
  longestBackoff: 30_000,
  keepUnused: 300_000,
  stale: 300_000,
  staleSoon: 150_000,
} as const;

let client: QueryClient | undefined;

/**
 * The page's one cache of server data, made when first asked for. On the server each page gets its own: what one
 * learner sees must not be kept for another.
 */
export function queryClient(): QueryClient {
  if (typeof window === 'undefined') return makeClient();
  client ??= makeClient();
  return client;
}

function makeClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: FETCHING.retries,
        retryDelay: (attempt) => Math.min(1_000 * 2 ** attempt, FETCHING.longestBackoff),
        gcTime: FETCHING.keepUnused,
        staleTime: FETCHING.stale,
      },
    },
  });
}
