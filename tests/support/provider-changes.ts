import { vi } from 'vitest';

/**
 * Intercepts this process's requests to the identity provider that change accounts.
 * @param answer gets a function that sends the change, and its number from 0
 * @returns a mock that `mockRestore` ends
 */
export function interceptChanges(answer: (send: () => Promise<Response>, count: number) => Promise<Response>) {
  const send = globalThis.fetch;
  let count = 0;
  return vi.spyOn(globalThis, 'fetch').mockImplementation((...request) => {
    const [to] = request;
    const isChange = (to instanceof Request ? to.url : String(to)).includes('accounts:update');
    return isChange ? answer(() => send(...request), count++) : send(...request);
  });
}

export const unavailable = () => new Response(null, { status: 503 });

/** The provider makes all changes, but one response is lost. @param lost number of that change, from 0 */
export function loseAnswer(lost: number) {
  return interceptChanges(async (send, count) => {
    const answer = await send();
    return count === lost ? unavailable() : answer;
  });
}
