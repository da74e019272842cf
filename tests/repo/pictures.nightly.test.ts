import { expect, it } from 'vitest';
import { hashOutlines, readRecordedOutlines } from '../../scripts/lib/outlines-of-pictures.mjs';

it('the pictures in docs/images show the present screens', () => {
  // If this fails, run `npm run screens` and commit docs/images.
  expect(readRecordedOutlines()).toEqual(hashOutlines());
});
