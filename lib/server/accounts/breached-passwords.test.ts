import { describe, expect, test } from 'vitest';
import { hasSuffix } from './breached-passwords';

const SUFFIX = '1E4C9B93F3F0682250B6CF8331B7EE68FD8';

describe('a range of breached passwords', () => {
  test.each([
    [`${SUFFIX}:3`, true],
    [`0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n${SUFFIX}:12\r\n`, true],
    [`0018A45C4D1DEF81644B54AB7F969B88D65:1\n${SUFFIX.toLowerCase()}:1`, true],
    // Padding.
    [`${SUFFIX}:0`, false],
    [`${SUFFIX}`, false],
    [`${SUFFIX}:many`, false],
    [`X${SUFFIX}:3`, false],
    [`0018A45C4D1DEF81644B54AB7F969B88D65:${SUFFIX}:3`, false],
    ['', false],
    ['<html>', false],
  ])('%j: %s', (range, found) => expect(hasSuffix(range, SUFFIX)).toBe(found));
});
