import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const texts = readdirSync('locales/en').flatMap((file) => {
  const found: string[] = [];
  JSON.parse(readFileSync(`locales/en/${file}`, 'utf8'), (_key, value: unknown) => {
    if (typeof value === 'string') found.push(`${file}: ${value}`);
    return value;
  });
  return found;
});

/** Words of docs/product.md#screens that texts must not contain. */
test.each([
  ['try, for an attempt', /\b(?:tries|try) left\b|\bnumber of tries\b/i],
  [
    "wrong or isn't right, for a code or a password",
    /\bisn't (?:right|correct)\b|\bwrong (?:code|password|email)\b|\b(?:code|password) is wrong\b/i,
  ],
  [
    'a number of characters in words',
    /\b(?:six|eight) (?:characters|letters|digits|numbers)\b|\b(?:six|eight)-(?:character|digit)\b/i,
  ],
  ['business email', /\b(?:business|corporate|company) (?:email|address)\b/i],
  ['a guess who it was', /\bprobably you\b/i],
  ['a time that is not told', /\b(?:expires?|ends?) soon\b|\bin a (?:short|little) while\b/i],
  ['log in', /\blog(?:s|ged)? ?(?:in|out|on|off)\b/i],
])('no text has %s', (_name, pattern) => {
  expect(texts.filter((text) => pattern.test(text))).toEqual([]);
});

test('texts are found', () => {
  expect(texts.length).toBeGreaterThan(500);
});
