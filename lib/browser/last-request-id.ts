let last: string | null = null;

/** Id of the last response of our API on this page: error reports carry it, so that the request is found in the log. */
export function getLastRequestId(): string | null {
  return last;
}

export function recordRequestId(response: Pick<Response, 'headers'>): void {
  last = response.headers.get('x-request-id') ?? last;
}
