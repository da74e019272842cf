import { availableParallelism } from 'node:os';
import { type ClientDescription, FairSemaphore, processWide } from '@/lib/server/runtime';

/** One core is left for everything else; the thread pool (4 threads) serves files and name lookups too. */
const MAX_RUNNING = Math.max(1, Math.min(2, availableParallelism() - 1));
/** A class that sets its apps up at the same time, from one network. */
const MAX_OF_NETWORK = 8;
/** Of set-ups, the last one waits for some 10 s. */
const MAX_WAITING = 32;
/** On a busy machine each takes longer: before the listener closes the connection, which gets no answer then, in milliseconds. */
const MAX_WAIT_MS = 20_000;

const queue = () =>
  processWide(
    'derivations',
    () =>
      new FairSemaphore({
        maxRunning: MAX_RUNNING,
        maxHeld: MAX_OF_NETWORK,
        maxWaiting: MAX_WAITING,
        maxWaitMs: MAX_WAIT_MS,
      }),
  );

/**
 * Runs a slow derivation: every one of the process waits in this queue. What entitles to it is consumed before, and no
 * connection to the database is held.
 * @throws ApiProblem `too-many-requests`: at once, when too many of the client's network, or of all, run or wait, or when its turn comes too late
 */
export function queueDerivation<T>(
  { network }: Pick<ClientDescription, 'network'>,
  derive: () => Promise<T>,
): Promise<T> {
  return queue().run(network ?? 'unknown', derive);
}
