import { setTimeout as sleep } from 'node:timers/promises';
import { ApiProblem } from '@/lib/shared/problem';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { timeLimit } from '@/lib/shared/time-limit';

const REGISTRY = Symbol.for('learner-identity.process-wide');
const holder = globalThis as { [REGISTRY]?: Map<string, unknown> };
const registry = (holder[REGISTRY] ??= new Map());

/**
 * Returns a value that exists once per process. Pages, API routes and the instrumentation hook are bundled separately,
 * so a module's own variable can exist several times. Use it only for what the bundles must share, with a reason in
 * `tests/repo/process-wide.test.ts`. A cache that each bundle can have is a variable of its module.
 */
export function processWide<T>(name: string, make: () => T): T {
  if (!registry.has(name)) registry.set(name, make());
  return registry.get(name) as T;
}

/** Something that one part of the process wants, and another waits for. */
export class Signal {
  private isSet = false;
  private readonly waiting = new Set<() => void>();

  set(): void {
    this.isSet = true;
    for (const end of this.waiting) end();
  }

  /** Waits until it is set, or for so many milliseconds, and clears it. The wait does not keep the process alive. */
  async wait(ms: number): Promise<void> {
    if (!this.isSet)
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          this.waiting.delete(end);
          resolve();
        };
        const timer = setTimeout(end, ms).unref();
        this.waiting.add(end);
      });
    this.isSet = false;
  }
}

const RETRY_AFTER_SECONDS = 5;

/**
 * `maxHeld`: tasks of a key that run or wait. `maxWaitMs`: a task that waits longer is refused, if its client waits for
 * it.
 */
type Limits = { maxRunning: number; maxHeld: number; maxWaiting: number; maxWaitMs?: number };

/** A key's place in the queue. Use it or give it back, exactly once. */
type Place = { run: <T>(task: () => Promise<T>) => Promise<T>; giveBack: () => void };

/**
 * Limits how many tasks run concurrently, with a share for each key. Keys take turns, so a key with many tasks delays
 * another key's task by only a single task.
 */
export class FairSemaphore {
  private running = 0;
  private heldCount = 0;
  private readonly held = new Map<string, number>();
  /** Waiting tasks by key, in the order of the keys' turns. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(private readonly limits: Limits) {}

  /**
   * @throws ApiProblem `too-many-requests` at once if the queue or the key's share is full, or later if its turn comes
   *   too late
   */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    return this.take(key).run(task);
  }

  /**
   * Reserves a place for a later task. A task that cannot run yet holds no slot.
   * @throws ApiProblem `too-many-requests` if the queue or the key's share is full
   */
  take(key: string): Place {
    const { maxRunning, maxHeld, maxWaiting } = this.limits;
    const held = this.held.get(key) ?? 0;
    if (held >= maxHeld || this.heldCount >= maxRunning + maxWaiting) throw tooMany();
    this.held.set(key, held + 1);
    this.heldCount += 1;
    return { run: (task) => this.runHeld(key, task), giveBack: () => this.giveBack(key) };
  }

  private async runHeld<T>(key: string, task: () => Promise<T>): Promise<T> {
    const { maxRunning, maxWaitMs = Infinity } = this.limits;
    const begin = performance.now();
    if (this.running >= maxRunning) await this.wait(key);
    else this.running += 1;
    try {
      if (performance.now() - begin > timeLimit(maxWaitMs)) throw tooMany();
      return await task();
    } finally {
      this.giveBack(key);
      this.passOn();
    }
  }

  private wait(key: string): Promise<void> {
    const queue = this.waiting.get(key) ?? [];
    this.waiting.set(key, queue);
    return new Promise((resolve) => queue.push(resolve));
  }

  private giveBack(key: string): void {
    const held = (this.held.get(key) ?? 1) - 1;
    if (held === 0) this.held.delete(key);
    else this.held.set(key, held);
    this.heldCount -= 1;
  }

  private passOn(): void {
    const [turn] = this.waiting;
    if (turn === undefined) {
      this.running -= 1;
      return;
    }
    // Pass the slot to the next task instead of freeing it, because a task that arrives in between must not take it
    // too.
    const [next, queue] = turn;
    this.waiting.delete(next);
    const begin = queue.shift();
    if (queue.length > 0) this.waiting.set(next, queue);
    begin?.();
  }
}

function tooMany(): ApiProblem {
  return new ApiProblem('too-many-requests', { retryAfter: RETRY_AFTER_SECONDS });
}

/** How long a success is valid. */
const HOLDS_MS = 5_000;
const checks = new Map<string, Promise<unknown>>();

/** Runs a check once for all requests that wait for it. A success also counts for requests of the next seconds. */
export async function shareCheck(name: string, check: () => Promise<unknown>): Promise<void> {
  const running =
    checks.get(name) ??
    check().then(
      () => void setTimeout(() => checks.delete(name), HOLDS_MS).unref(),
      (error: unknown) => {
        checks.delete(name);
        throw error;
      },
    );
  checks.set(name, running);
  await running;
}

/**
 * How early a timer of Node.js can fire by the wall clock, in milliseconds. It counts whole milliseconds since its loop
 * began.
 */
const EARLY_MS = 2;

/** Waits until a time, or returns at once if it has passed. @param time in milliseconds since 1970 */
export async function sleepUntil(time: number): Promise<void> {
  const left = time - Date.now();
  if (left > 0) await sleep(left + EARLY_MS);
}

/**
 * Continues with the result of work: at once, or after its promise. Frequent calls mostly have nothing to wait for, and
 * each promise costs time (docs/adr/0039).
 * @param onError by default throws the error, or rejects the promise
 */
export function settle<T, R, E = never>(
  work: () => T | Promise<T>,
  onDone: (result: T) => R | Promise<R>,
  onError: (error: unknown) => E | Promise<E> = rethrow,
): R | E | Promise<R | E> {
  let result: T | Promise<T>;
  try {
    result = work();
  } catch (error) {
    return onError(error);
  }
  return result instanceof Promise ? result.then(onDone, onError) : onDone(result);
}

/**
 * Waits for a promise for a limited time. An error of the promise is never mistaken for the timeout, whatever its
 * message is.
 * @param onTimeout returns a result for the timeout, or throws
 */
export async function withTimeout<T, L>(
  promise: Promise<T>,
  milliseconds: number,
  onTimeout: (timeout: unknown) => L,
): Promise<T | L> {
  // This promise never rejects, so `catch` only catches the timeout.
  const outcome = promise.then(
    (value) => () => value,
    (error: unknown) => () => rethrow(error),
  );
  const open = await promiseTimeout<() => T | L>(outcome, milliseconds).catch(
    (timeout: unknown) => () => onTimeout(timeout),
  );
  return open();
}

function rethrow(error: unknown): never {
  throw error;
}
