import { ApiProblem } from '@/lib/shared/problem';

const RETRY_AFTER_SECONDS = 5;

/** `maxHeld`: tasks of one key that run or wait. */
type Limits = { maxRunning: number; maxHeld: number; maxWaiting: number };

/** Limits how many tasks run concurrently, with a share for each key: keys take turns, so that one with many tasks delays others by one. */
export class FairSemaphore {
  private running = 0;
  private waitingCount = 0;
  private readonly held = new Map<string, number>();
  /** By key, in the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(private readonly limits: Limits) {}

  /** @throws ApiProblem `too-many-requests`, at once, when the queue or the key's share is full */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const { maxRunning, maxHeld, maxWaiting } = this.limits;
    const held = this.held.get(key) ?? 0;
    const mustWait = this.running >= maxRunning;
    if (held >= maxHeld || (mustWait && this.waitingCount >= maxWaiting))
      throw new ApiProblem('too-many-requests', { retryAfter: RETRY_AFTER_SECONDS });
    this.held.set(key, held + 1);
    if (mustWait) await this.wait(key);
    else this.running += 1;
    try {
      return await task();
    } finally {
      this.release(key);
    }
  }

  private wait(key: string): Promise<void> {
    this.waitingCount += 1;
    const queue = this.waiting.get(key) ?? [];
    this.waiting.set(key, queue);
    return new Promise((resolve) => queue.push(resolve));
  }

  private release(key: string): void {
    const held = (this.held.get(key) ?? 1) - 1;
    if (held === 0) this.held.delete(key);
    else this.held.set(key, held);
    const [turn] = this.waiting;
    if (turn === undefined) {
      this.running -= 1;
      return;
    }
    // Hand the slot over instead of freeing it: a task that arrives in between must not take it too.
    const [next, queue] = turn;
    this.waiting.delete(next);
    const begin = queue.shift();
    if (queue.length > 0) this.waiting.set(next, queue);
    this.waitingCount -= 1;
    begin?.();
  }
}
