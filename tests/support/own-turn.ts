import { AsyncLocalStorage } from 'node:async_hooks';
import { FairSemaphore, processWide } from '@/lib/server/runtime/process';

/** A change of an account that has its turn. `outer`: the change that has begun it. */
type Turn = { turns: FairSemaphore; isOver: boolean; outer: Turn | undefined };
const present = new AsyncLocalStorage<Turn>();

const hasTurn = (turns: FairSemaphore, turn: Turn | undefined): boolean =>
  turn !== undefined && ((turn.turns === turns && !turn.isOver) || hasTurn(turns, turn.outer));

const isOfAccount = (turns: FairSemaphore) =>
  [...processWide('account-turns', () => new Map<string, Pick<Turn, 'turns'>>()).values()].some(
    (changes) => changes.turns === turns,
  );

let found: Set<string> | null = null;

/**
 * Refuses a change of an account that asks for the lock that it has. It would wait for itself, because a function got the id
 * of the account instead of its `LockedAccount`.
 * @returns the stacks of such changes
 */
export function findWaitsForItself(): ReadonlySet<string> {
  if (found !== null) return found;
  const waits = (found = new Set());
  const run = Object.getOwnPropertyDescriptor(FairSemaphore.prototype, 'run')?.value as FairSemaphore['run'];
  FairSemaphore.prototype.run = async function <T>(key: string, task: () => Promise<T>): Promise<T> {
    if (!isOfAccount(this)) return run.call(this, key, task) as Promise<T>;
    const outer = present.getStore();
    if (hasTurn(this, outer)) {
      const error = new Error('A change waits for the lock that it has');
      waits.add(error.stack ?? '');
      throw error;
    }
    const turn = { turns: this, isOver: false, outer };
    const inTurn = () => present.run(turn, task).finally(() => (turn.isOver = true));
    return run.call(this, key, inTurn) as Promise<T>;
  };
  return found;
}
