import { describe, expect, test } from 'vitest';
import { settle } from './process';

const failure = new Error('failed');
const name = (result: unknown) => [result];

describe('work that has its result', () => {
  test('is continued at once', () => {
    expect(settle(() => 1, name)).toEqual([1]);
  });
  test('and fails: at once, too', () => {
    const fail = () => {
      throw failure;
    };
    expect(settle(fail, name, (error) => ({ error }))).toEqual({ error: failure });
    expect(() => settle(fail, name)).toThrow(failure);
  });
});

describe('work that waits', () => {
  test('is continued later', async () => {
    const pending = settle(() => Promise.resolve(1), name);
    expect(pending).toBeInstanceOf(Promise);
    expect(await pending).toEqual([1]);
  });
  test('and fails: later, too', async () => {
    const fail = () => Promise.reject(failure);
    expect(await settle(fail, name, (error) => ({ error }))).toEqual({ error: failure });
    await expect(settle(fail, name)).rejects.toBe(failure);
  });
});

test.each([() => 1, () => Promise.resolve(1)])(
  'what fails afterwards is not taken for a failure of the work',
  async (work) => {
    const after = async () =>
      settle(
        work,
        () => {
          throw failure;
        },
        () => 'handled',
      );
    await expect(after()).rejects.toBe(failure);
  },
);
