import { expect, it, vi } from 'vitest';

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
