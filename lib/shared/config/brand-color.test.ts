import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BACKGROUNDS, readTokens } from '@/tests/support/tokens';
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

  it.each([
    ['normal', 4.5],
    ['more', 7],
  ] as const)('makes any accent readable with %s contrast, as a link and under a label', (level, least) => {
    fc.assert(
      fc.property(color, fc.constantFrom('light' as const, 'dark' as const), (wanted, theme) => {
        const { accent, onAccent, strong, wash } = correctAccent(wanted, theme, level);
        const tokens: Record<string, string> = { ...readTokens(theme, level), 'accent-wash': wash };
        for (const name of BACKGROUNDS) {
          const ground = tokens[name] ?? '';
          expect(contrast(accent, ground)).toBeGreaterThanOrEqual(least);
          expect(contrast(strong, ground)).toBeGreaterThanOrEqual(least);
        }
        expect(contrast(onAccent, accent)).toBeGreaterThanOrEqual(least);
        expect(contrast(onAccent, strong)).toBeGreaterThanOrEqual(least);
        expect(contrast(tokens.ink ?? '', wash)).toBeGreaterThanOrEqual(least);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('toPageConfig', () => {
  it('has colors of their own for more contrast, where the others do not have it', () => {
    const css = (accent: string) =>
      toPageConfig({ colors: { light: { accent }, dark: { accent: '#ffffff' } } }, 'en').brandCss;
    expect(css('#b3261e')).toMatch(
      /^html:root\{--accent:#b3261e;[^}]*\}@media \(prefers-contrast:more\)\{html:root\{--accent:#[\da-f]{6};[^}]*\}\}@media not print\{html:root\[data-theme='dark'\]\{--accent:#ffffff;[^}]*\}\}$/,
    );
    expect(css('#000000')).not.toContain('prefers-contrast');
  });

  it.each([
    ['#b3261e', true],
    ['#ffb4a9', true],
    ['#ad1480', false],
    ['#1f5f5b', false],
    ['#8a6d00', false],
    ['#6b6360', false],
  ])('gives focus the color of text where %s looks like an error: %s', (accent, isNeutral) => {
    const { brandCss = '' } = toPageConfig({ colors: { light: { accent }, dark: { accent: '#7cc7bd' } } }, 'en');
    expect(brandCss.includes('--focus:var(--ink)')).toBe(isNeutral);
  });

  it.each([
    ['Go north.', 'fr', 'Go north.'],
    [{ en: 'Go north.', 'pt-BR': 'Rumo ao norte.' }, 'pt-BR', 'Rumo ao norte.'],
    [{ en: 'Go north.', pt: 'Rumo ao norte.' }, 'pt-BR', 'Rumo ao norte.'],
    [{ en: 'Go north.' }, 'fr', undefined],
    [undefined, 'en', undefined],
  ])('takes the headline %j in the language %s: %s', (splitScreenHeadline, language, text) => {
    const config = splitScreenHeadline === undefined ? {} : { splitScreenHeadline };
    expect(toPageConfig(config, language).splitScreenHeadline).toBe(text);
  });

  it('turns the colors into a style sheet, the same for the same config, and keeps the other fields', () => {
    const config = { brandName: 'A', colors: { light: { accent: '#ffcc00' }, dark: { accent: '#332200' } } };
    expect(toPageConfig({ brandName: 'A' }, 'en')).toEqual({ brandName: 'A' });
    expect(toPageConfig(config, 'en')).toEqual(toPageConfig(structuredClone(config), 'en'));
    expect(toPageConfig(config, 'en')).toEqual({
      brandName: 'A',
      brandCss: expect.stringMatching(/^html:root\{--accent:#[0-9a-f]{6};/) as string,
    });
  });
});
