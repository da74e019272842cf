// cspell:disable
import { expect, it, test } from 'vitest';
import { toPlainText } from './plain-text';

test.each([
  ['Arabic', '٠١٢٣٤٥٦٧٨٩'],
  ['Persian and Urdu', '۰۱۲۳۴۵۶۷۸۹'],
  ['Devanagari', '०१२३४५६७८९'],
  ['Bengali', '০১২৩৪৫৬৭৮৯'],
  ['Thai', '๐๑๒๓๔๕๖๗๘๙'],
  ['Burmese', '၀၁၂၃၄၅၆၇၈၉'],
  ['Khmer', '០១២៣៤៥៦៧៨៩'],
  ['Tibetan', '༠༡༢༣༤༥༦༧༨༩'],
  ['Adlam, beyond the basic plane', '𞥐𞥑𞥒𞥓𞥔𞥕𞥖𞥗𞥘𞥙'],
  ['full-width', '０１２３４５６７８９'],
  ['mathematical', '𝟘𝟙𝟚𝟛𝟜𝟝𝟞𝟟𝟠𝟡'],
])('digits of a keyboard become ASCII: %s', (_, digits) => {
  expect(toPlainText(digits)).toBe('0123456789');
});

it('every decimal digit of Unicode becomes the one that it is', () => {
  const points = Array.from({ length: 0x110000 }, (_, point) => point);
  const digits = points.filter((point) => /^\p{Nd}$/u.test(String.fromCodePoint(point)));
  expect(digits.length).toBeGreaterThan(600);
  const read = digits.map((point) => toPlainText(String.fromCodePoint(point))).join('');
  expect(read).toBe('0123456789'.repeat(digits.length / 10));
});

it('leaves out what has no shape', () => {
  expect(toPlainText('\u200f\u2067١٢٣\u2069\u200e\ufeff \u00ad4\ufe0f')).toBe('123 4');
});
