import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { reportError } from '@/lib/shared/error-reporting/report';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { isApiProblem } from '@/lib/shared/problem';
import { FairSemaphore, log, processWide } from '@/lib/server/runtime';

/** The mail server's pool has five connections. */
const MAX_RUNNING = 8;
/** Emails of a class, from one network, whose mail server takes a second for each. */
const MAX_OF_NETWORK = 100;
/** What a process keeps in memory. */
const MAX_WAITING = 1_000;
/** A client that reads slowly must not hold its place, in milliseconds: the response is written long before. */
const MAX_SENDING_MS = 2_000;
/** How long a process that shuts down waits for it, in milliseconds. */
export const DRAIN_TIMEOUT_MS = 15_000;

const getQueue = () =>
  processWide('behind-response', () => ({
    queue: new FairSemaphore({ maxRunning: MAX_RUNNING, maxHeld: MAX_OF_NETWORK, maxWaiting: MAX_WAITING }),
    pending: new Set<Promise<void>>(),
  }));

type Work<T> = {
  /** What it is, for the report of a failure. */
  during: string;
  /** The client's: networks take turns, so that the work of one with much of it delays that of others by one. */
  network: string;
  /** Before the response, once there is a place in the queue. */
  before: () => Promise<T>;
  work: (prepared: T) => Promise<void>;
};

/**
 * Runs work when the response has been sent, so that neither its content nor its time can depend on what the work reads. A
 * failure is reported.
 * @throws ApiProblem `too-many-requests`, at once, when too much of the network, or of all, waits; what `before` throws
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
      // The caller gets the error.
      () => place.giveBack(),
    ),
  );
  await prepared;
}

/** Lets a process that shuts down wait for work that no request waits for. A failure is the caller's to report. */
export function finishBeforeExit(work: Promise<void>): void {
  const { pending } = getQueue();
  const done = work.catch(() => undefined).finally(() => pending.delete(done));
  pending.add(done);
}

/** Reports a failure of such work, unless that is done, or what a visitor has entered is refused or throttled by the provider. */
export function reportFailure(error: unknown, context: { during: string; kind?: string; attempts?: number }): void {
  const result = isApiProblem(error) ? error.code : null;
  // Reported where the email was handed over.
  if (result === 'mail-unavailable') return;
  if (result === 'bad-request' || result === 'too-many-requests') log().warn({ ...context, result }, 'refused');
  else reportError(error, context);
}

/** Refuses a request early, before it uses up what is counted for others. @throws ApiProblem `too-many-requests`, as `runBehindResponse` */
export function assertPlaceBehindResponse(network: string): void {
  getQueue().queue.take(network).giveBack();
}

/** Waits until the response has been sent, or its client has had the time to read it. */
async function sent(res: ServerResponse): Promise<void> {
  if (!res.closed) await promiseTimeout(once(res, 'close'), MAX_SENDING_MS).catch(() => undefined);
}

/** Waits for all work behind responses, for a bounded time; what is left then is reported. */
export async function drainBehindResponses(): Promise<void> {
  const { pending } = getQueue();
  const settle = async () => {
    while (pending.size > 0) await Promise.all(pending);
  };
  await promiseTimeout(settle(), DRAIN_TIMEOUT_MS).catch((error: unknown) =>
    reportError(error, { during: 'finishing work behind responses', left: pending.size }),
  );
}
