import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expectLinear, HOSTILE_PARTS } from '@/tests/support/growth';
import { MAX_TEXT_LENGTH, redact, redactAddress, redactJson, redactText } from './redact';

const SINKS: Record<string, (text: string) => unknown> = {
  redactText: (text) => redactText(text, Infinity),
  redactAddress: (text) => redactAddress(text, Infinity),
  redact: (text) => redact({ deep: [text], error: new Error(text) }, { maxLength: Infinity }),
  'redact, by the name': (text) => redact({ [text]: 1 }),
  redactJson: (text) => redactJson(JSON.stringify({ [text]: 1, text })),
};

it.each(Object.entries(SINKS))('%s takes linear time', { timeout: 120_000 }, (_name, work) => {
  for (const part of HOSTILE_PARTS) expectLinear(work, part);
});

it('combinations of these take linear time too, after any prefix', { timeout: 120_000 }, () => {
  const part = fc.constantFrom(...HOSTILE_PARTS);
  const parts = fc.array(part, { minLength: 1, maxLength: 4 }).map((all) => all.join(''));
  fc.assert(
    fc.property(part, parts, (begin, repeated) => {
      expectLinear((text) => redactText(begin + text, Infinity), repeated);
    }),
    { numRuns: 200, endOnFailure: true },
  );
});

it.each(Object.values(MAX_TEXT_LENGTH))('cuts off text beyond %d characters, with the word at the cut', (length) => {
  const text = 'word '.repeat(length);
  expect(redactText(text.slice(0, length), length)).toBe(text.slice(0, length));
  expect(redactText(text, length)).toBe(`${text.slice(0, length - (length % 5))}[cut]`);
  const email = `${'q'.repeat(64)}@${'qq.'.repeat(60)}test`;
  expect(redactText(`${'a'.repeat(length - 100)} ${email}`, length)).toBe(`${'a'.repeat(length - 100)} [cut]`);
  expect(redactText('a'.repeat(length * 2), length).length).toBeLessThanOrEqual(length);
});
