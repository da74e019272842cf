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
 * The page's single cache of server data, created on first use. On the server each page gets its own instance: cached
 * data of one learner must not be served to another.
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
