import { expect, it } from 'vitest';
import { escapeControls, escapeLines } from './escape-controls';

it.each([
  ['\u001b[31m red\u0007', '\\u001b[31m red\\u0007'],
  ['a\nb\tc\r', 'a\\u000ab\\u0009c\\u000d'],
  ['\u009b2J\u007f', '\\u009b2J\\u007f'],
  ['\u202egnp.exe\u2028', '\\u202egnp.exe\\u2028'],
  ['\u{e0001}', '\\u{e0001}'],
  ['https://zoë.example/?a=1 日本', 'https://zoë.example/?a=1 日本'],
])('escapes %j', (text, escaped) => {
  expect(escapeControls(text)).toBe(escaped);
});

it('leaves line feeds between lines', () => {
  expect(escapeLines('a\u001b\nb')).toBe('a\\u001b\nb');
});
