import { QueryClient } from '@tanstack/react-query';

/** Data fetching constants (docs/product.md#constants), in milliseconds. */
export const FETCHING = {
  retries: 3,
  longestBackoff: 30_000,
  keepUnused: 300_000,
  stale: 300_000,
  staleSoon: 150_000,
} as const;

let client: QueryClient | undefined;

/**
 * Returns the page's only cache of server data, which is created on first use. On the server, each page gets its own
 * cache, because a learner's cached data must not be served to another learner.
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
