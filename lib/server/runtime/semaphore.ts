import { ApiProblem } from '@/lib/shared/problem';

const RETRY_AFTER_SECONDS = 5;

/** Limits how many tasks run concurrently. A bounded number waits in order; more are refused. */
export class Semaphore {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly maxRunning: number,
    private readonly maxWaiting: number,
  ) {}

  /** @throws ApiProblem `too-many-requests` when the queue is full */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.running < this.maxRunning) this.running += 1;
    else await this.wait();
    try {
      return await task();
    } finally {
      // Hand the slot over instead of freeing it: a task that arrives in between must not take it too.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }

  private wait(): Promise<void> {
    if (this.waiting.length >= this.maxWaiting)
      throw new ApiProblem('too-many-requests', { retryAfter: RETRY_AFTER_SECONDS });
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
