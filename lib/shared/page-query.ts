/**
 * The query of a page that shared caches may store: the middleware takes it out of the address, and hands it to the server in this
 * request header, so that no byte of the page depends on it (docs/deployment.md#shared-caches).
 */
export const PAGE_QUERY_HEADER = 'x-page-query';
