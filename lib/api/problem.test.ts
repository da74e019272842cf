import { expect, it, vi } from 'vitest';
import { ApiProblem, orNull } from './problem';

/** The class as another bundle of this app has it. */
async function anotherClass() {
  vi.resetModules();
  return (await import('./problem')).ApiProblem;
}

it('knows a problem thrown by another bundle of this app', async () => {
  const [Ours, Theirs] = [await anotherClass(), await anotherClass()];
  expect(Ours).not.toBe(Theirs);
  expect(new Theirs('user-disabled')).toBeInstanceOf(Ours);
});

it('takes nothing else for one', async () => {
  const Ours = await anotherClass();
  for (const other of [new Error('user-disabled'), null, 'ApiProblem', { name: 'ApiProblem', status: 401 }])
    expect(other).not.toBeInstanceOf(Ours);
});

it('makes null of a refusal, and of nothing else', async () => {
  expect(await orNull(Promise.reject(new ApiProblem('code-expired')))).toBeNull();
  expect(await orNull(Promise.resolve('fine'))).toBe('fine');
  await expect(orNull(Promise.reject(new Error('ours')))).rejects.toThrow('ours');
});
