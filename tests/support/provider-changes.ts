import { vi } from 'vitest';

/**
 * Stands between this process and the changes of accounts that it asks the identity provider for.
 * @param answer gets what carries one out, and its number, from 0
 * @returns undone by `mockRestore`
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

/** The provider carries all changes out, and the answer to one is lost. @param lost its number, from 0 */
export function loseAnswer(lost: number) {
  return interceptChanges(async (send, count) => {
    const answer = await send();
    return count === lost ? unavailable() : answer;
  });
}
