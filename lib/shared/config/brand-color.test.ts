import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contrast, correctAccent, toPageConfig } from './brand-color';

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('correctAccent', () => {
  it('measures contrast as WCAG does', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  it('keeps a readable accent', () => {
    expect(correctAccent('#1F5F5B', 'light')).toMatchObject({
      accent: '#1f5f5b',
      onAccent: '#ffffff',
      corrected: false,
    });
  });

  it('makes any accent readable, as a link and under a label', () => {
    fc.assert(
      fc.property(color, fc.constantFrom('light' as const, 'dark' as const), (wanted, theme) => {
        const { accent, onAccent, strong } = correctAccent(wanted, theme);
        const grounds = theme === 'light' ? ['#fdfcfa', '#ffffff'] : ['#12161f', '#191f2b'];
        for (const ground of grounds) expect(contrast(accent, ground)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(onAccent, accent)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(onAccent, strong)).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('toPageConfig', () => {
  it('turns the colors into a style sheet, the same for the same config, and keeps the other fields', () => {
    const config = { brandName: 'A', colors: { light: { accent: '#ffcc00' }, dark: { accent: '#332200' } } };
    expect(toPageConfig({ brandName: 'A' })).toEqual({ brandName: 'A' });
    expect(toPageConfig(config)).toEqual(toPageConfig(structuredClone(config)));
    expect(toPageConfig(config)).toEqual({
      brandName: 'A',
      brandCss: expect.stringMatching(/^html:root\{--accent:#[0-9a-f]{6};/) as string,
    });
  });
});
