import { expect, it } from 'vitest';
import { isEmbeddedBrowser } from './embedded-browser';

const IOS = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const ANDROID = 'Mozilla/5.0 (Linux; Android 15; Pixel 9';

it.each([
  [`${ANDROID}; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/137.0.0.0 Mobile Safari/537.36`, true],
  [`${ANDROID}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36`, false],
  [`${IOS} Mobile/15E148 [FBAN/FBIOS;FBAV/500.0]`, true],
  [`${IOS} Version/18.5 Mobile/15E148 Safari/604.1`, false],
  [`${IOS} CriOS/137.0 Mobile/15E148 Safari/604.1`, false],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36', false],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', false],
])('detects an embedded browser by %s', (userAgent, embedded) => {
  expect(isEmbeddedBrowser(userAgent)).toBe(embedded);
});
