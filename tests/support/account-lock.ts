import { processWide } from '@/lib/server/runtime/process';
import { withAccountLock } from '@/lib/server/storage';

/** A change of an account begins, which all others wait for. @returns ends it */
export async function holdAccountLock(uid: string): Promise<() => Promise<void>> {
  let end = () => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  let change = Promise.resolve();
  await new Promise<void>((begun) => {
    change = withAccountLock(uid, () => {
      begun();
      return held;
    });
  });
  return () => {
    end();
    return change;
  };
}

/** Changes of an account that this process makes, or that wait for their turn. */
export const countChanges = (uid: string): number =>
  processWide('account-turns', () => new Map<string, { all: number }>()).get(uid)?.all ?? 0;
