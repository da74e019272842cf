import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { reportError } from '@/lib/shared/error-reporting/report';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { isApiProblem } from '@/lib/shared/problem';
import { FairSemaphore, log, processWide } from '@/lib/server/runtime';

/** Fits the mail server's pool, which has five connections. */
const MAX_RUNNING = 8;
/** Maximum tasks of a network that run or wait. The mail server may take a second for each email. */
const MAX_OF_NETWORK = 100;
/** Maximum tasks that a process keeps in memory. */
const MAX_WAITING = 1_000;
/**
 * How long a task waits for its response to be sent. The response is written long before, and a client that reads
 * slowly must not hold a place.
 */
const MAX_SENDING_MS = 2_000;
/** How long a process that shuts down waits for these tasks. */
export const DRAIN_TIMEOUT_MS = 15_000;

const getQueue = () =>
  processWide('behind-response', () => ({
    queue: new FairSemaphore({ maxRunning: MAX_RUNNING, maxHeld: MAX_OF_NETWORK, maxWaiting: MAX_WAITING }),
    pending: new Set<Promise<void>>(),
  }));

type Work<T> = {
  /** Description of the work for the report of a failure. */
  during: string;
  /**
   * The client's network. Networks take turns, so a network with much work delays another network's task by only a
   * single task.
   */
  network: string;
  /** Runs before the response, once there is a place in the queue. */
  before: () => Promise<T>;
  work: (prepared: T) => Promise<void>;
};

/**
 * Runs work after the response has been sent, so that neither its content nor its time depends on the work. A failure
 * is reported.
 * @throws ApiProblem `too-many-requests` immediately if the queue or the network's share is full; any error of `before`
 */
export async function runBehindResponse<T>(
  res: ServerResponse,
  { during, network, before, work }: Work<T>,
): Promise<void> {
  const { queue } = getQueue();
  const place = queue.take(network);
  const prepared = before();
  const run = async (value: T) => {
    await sent(res);
    await place.run(() => work(value));
  };
  finishBeforeExit(
    prepared.then(
      (value) => run(value).catch((error: unknown) => reportFailure(error, { during })),
      // `await prepared` below throws the error to the caller.
      () => place.giveBack(),
    ),
  );
  await prepared;
}

/** Makes a process that shuts down wait for work that no request waits for. The caller reports a failure. */
export function finishBeforeExit(work: Promise<void>): void {
  const { pending } = getQueue();
  const done = work.catch(() => undefined).finally(() => pending.delete(done));
  pending.add(done);
}

/**
 * Reports a failure of work behind a response. It only logs a warning if the provider refused or throttled a visitor's
 * input.
 */
export function reportFailure(error: unknown, context: { during: string; kind?: string; attempts?: number }): void {
  const result = isApiProblem(error) ? error.code : null;
  // The code that sends the email has reported this.
  if (result === 'mail-unavailable') return;
  if (result === 'bad-request' || result === 'too-many-requests') log().warn({ ...context, result }, 'refused');
  else reportError(error, context);
}

/**
 * Refuses a request before it uses up a shared count. @throws ApiProblem `too-many-requests` if the queue or the
 * network's share is full
 */
export function assertPlaceBehindResponse(network: string): void {
  getQueue().queue.take(network).giveBack();
}

/** Waits until the response has been sent, or its client has had enough time to read it. */
async function sent(res: ServerResponse): Promise<void> {
  if (!res.closed) await promiseTimeout(once(res, 'close'), MAX_SENDING_MS).catch(() => undefined);
}

/** Waits for all work behind responses for a bounded time, and then reports the remaining work. */
export async function drainBehindResponses(): Promise<void> {
  const { pending } = getQueue();
  const settle = async () => {
    while (pending.size > 0) await Promise.all(pending);
  };
  await promiseTimeout(settle(), DRAIN_TIMEOUT_MS).catch((error: unknown) =>
    reportError(error, { during: 'finishing work behind responses', left: pending.size }),
  );
}
