const CLOSED = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

/** Retries a request if the server closed the idle connection to which it was written. */
export async function persistentFetch(address: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
    if (!CLOSED.includes(cause?.code ?? '')) throw error;
    return fetch(address, init);
  }
}
