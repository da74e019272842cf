// cspell:ignore zckzah
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanEmail } from './clean-email';

test.each([
  ['zero-width characters', '\u200blena\u200d@campus\ufeff.test\u2060'],
  ['a soft hyphen and marks of direction', 'le\u00adna@\u202ecampus.test\u202c'],
  ['mailto:', 'mailto:lena@campus.test'],
  ['angle brackets', '<lena@campus.test>'],
  ['a display name', 'Lena L. <Lena@campus.test>,'],
  ['mailto: in angle brackets', '<MAILTO:lena@campus.test>'],
  ['a trailing dot', 'lena@campus.test.'],
  ['a separator of a list', 'lena@campus.test; '],
  ['a full-width @ and letters', '\uff4c\uff45\uff4e\uff41\uff20campus\uff0etest'],
  ['spaces, also ones that do not break', '\u00a0 Lena@Campus.TEST\u3000'],
])('%s is removed', (_what, text) => {
  expect(cleanEmail(text)).toBe('lena@campus.test');
});

test.each([
  ['an international domain', 'lena@bücher.example', 'lena@xn--bcher-kva.example'],
  ['a decomposed one', 'lena@bu\u0308cher.example', 'lena@xn--bcher-kva.example'],
  ['one with dots of another keyboard', 'lena@例え。テスト', 'lena@xn--r8jz45g.xn--zckzah'],
  ['dots of another keyboard alone', 'lena@mail。campus｡test', 'lena@mail.campus.test'],
  ['digits of another keyboard', 'lena٢٠٠٨@campus.test', 'lena2008@campus.test'],
  ['what is no domain', 'lena@bücher/example', 'lena@bücher/example'],
  ['an international name', 'jürgen@campus.test', 'jürgen@campus.test'],
])('%s', (_what, text, cleaned) => {
  expect(cleanEmail(text)).toBe(cleaned);
});

test.each(['le na@campus.test', 'a@b@campus.test', 'lena@campus.test\nbcc: all', 'a@b.test <c@d.test> e@f.test'])(
  '%j is not made valid',
  (text) => {
    expect(cleanEmail(text)).toBe(text);
  },
);

test('a text that is far too long is left to validation', () => {
  expect(cleanEmail('.'.repeat(1_001))).toHaveLength(1_001);
});

test('cleaning twice changes nothing more', () => {
  const near = fc.stringMatching(/^[a-z<>@.,;: \u200b\uff20]{0,20}$/);
  fc.assert(
    fc.property(fc.oneof(near, fc.string()), (text) => cleanEmail(cleanEmail(text)) === cleanEmail(text)),
    { numRuns: 20_000 },
  );
});
