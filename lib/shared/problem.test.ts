import { expect, it, vi } from 'vitest';
import { ApiProblem, isApiProblem, nullOnProblem } from './problem';

/** The class as loaded by another bundle of this app. */
async function anotherClass() {
  vi.resetModules();
  return (await import('./problem')).ApiProblem;
}

it('recognizes a problem thrown by another bundle of this app', async () => {
  const Theirs = await anotherClass();
  expect(Theirs).not.toBe(ApiProblem);
  expect(isApiProblem(new Theirs('user-disabled'))).toBe(true);
  expect(isApiProblem(new ApiProblem('user-disabled'))).toBe(true);
});

it('does not recognize anything else', () => {
  for (const other of [new Error('user-disabled'), null, 'ApiProblem', { name: 'ApiProblem', status: 401 }])
    expect(isApiProblem(other)).toBe(false);
});

it('returns null for a problem, and rethrows anything else', async () => {
  expect(await nullOnProblem(Promise.reject(new ApiProblem('code-expired')))).toBeNull();
  expect(await nullOnProblem(Promise.resolve('fine'))).toBe('fine');
  await expect(nullOnProblem(Promise.reject(new Error('ours')))).rejects.toThrow('ours');
});
