// cspell:disable
import { expect, it, test } from 'vitest';
import { newPasswordField } from './fields';
import { tryTypedPassword } from './typed-password';

const COMPOSED = 'pässwörter sind tabu';
const DECOMPOSED = COMPOSED.normalize('NFD');

/** Simulates an account whose password is compared byte by byte. */
function account(stored: string, refusal = 'wrong') {
  const tried: string[] = [];
  const attempt = (password: string) => {
    tried.push(password);
    return password === stored ? Promise.resolve('in') : Promise.reject(new Error(refusal));
  };
  const isRefusal = (error: unknown) => error instanceof Error && error.message === 'wrong';
  return { tried, signIn: (typed: string) => tryTypedPassword(typed, attempt, isRefusal) };
}

test.each([
  ['set composed, typed decomposed', COMPOSED, DECOMPOSED, [COMPOSED]],
  ['set composed, typed composed', COMPOSED, COMPOSED, [COMPOSED]],
  ['set decomposed before passwords were normalized', DECOMPOSED, DECOMPOSED, [COMPOSED, DECOMPOSED]],
  ['ASCII', 'quiet-lantern-42', 'quiet-lantern-42', ['quiet-lantern-42']],
])('%s: signs in', async (_, stored, typed, tried) => {
  const { signIn, tried: calls } = account(stored);
  expect(await signIn(typed)).toBe('in');
  expect(calls).toEqual(tried);
});

it('a wrong one is refused, once if it has one form only', async () => {
  for (const [typed, calls] of [
    ['wrong-lantern', 1],
    [COMPOSED, 1],
    [DECOMPOSED, 2],
  ] as const) {
    const { signIn, tried } = account('another');
    await expect(signIn(typed)).rejects.toThrow('wrong');
    expect(tried).toHaveLength(calls);
  }
});

it('no second attempt follows another failure', async () => {
  const { signIn, tried } = account('another', 'too many requests');
  await expect(signIn(DECOMPOSED)).rejects.toThrow('too many requests');
  expect(tried).toHaveLength(1);
});

it('a new password is stored in one form, and its length is that of the form', () => {
  expect(newPasswordField.parse(DECOMPOSED)).toBe(COMPOSED);
  // These seven letters are eleven code points as typed.
  expect(newPasswordField.safeParse('äöüßéèñ'.normalize('NFD')).error?.issues[0]?.message).toBe('new-password:short');
  // Compatibility forms stay, because they are other characters.
  expect(newPasswordField.parse('ﬁne-lantern-²')).toBe('ﬁne-lantern-²');
  // Each code point counts as one.
  expect(newPasswordField.safeParse('🦊🦉🐢🐙').success).toBe(false);
  expect(newPasswordField.safeParse('🦊🦉🐢🐙🦔🐝🐌🦋').success).toBe(true);
});
