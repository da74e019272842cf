import { Semaphore, processWide } from '@/lib/server/runtime';

/** Far more than an account's rate limits allow while the database answers. */
const MAX_WAITING = 100;

type Queue = { turns: Semaphore; users: number };
const queues = () => processWide('account-writes', () => new Map<string, Queue>());

/**
 * Runs the writes of one account one at a time, in order. They would only wait for each other in the database, each with
 * a connection that writes of other accounts need.
 * @throws ApiProblem `too-many-requests` when too many wait
 */
export async function queueWrite<T>(uid: string, write: () => Promise<T>): Promise<T> {
  const all = queues();
  const queue = all.get(uid) ?? { turns: new Semaphore(1, MAX_WAITING), users: 0 };
  all.set(uid, queue);
  queue.users += 1;
  try {
    return await queue.turns.run(write);
  } finally {
    queue.users -= 1;
    if (queue.users === 0) all.delete(uid);
  }
}
