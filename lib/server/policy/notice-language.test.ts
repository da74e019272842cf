import { expect, test } from 'vitest';
import { choosesForOwner } from './notice-language';

const DAY_MS = 24 * 60 * 60 * 1000;
const now = new Date('2026-11-29T12:00:00Z');
const before = (days: number) => new Date(now.getTime() - days * DAY_MS);

test.each([
  ['the first one', { firstSeenAt: now, isFirst: true }, true],
  ['a new one', { firstSeenAt: now, isFirst: false }, false],
  ['one of nine days', { firstSeenAt: before(9), isFirst: false }, false],
  ['one of ten days', { firstSeenAt: before(10), isFirst: false }, true],
  ['one with a copied cookie', null, false],
])('%s: the owner is warned in its language: %s', (_what, browser, expected) => {
  expect(choosesForOwner(browser, now)).toBe(expected);
});
