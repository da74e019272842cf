/**
 * Corrects a brand's accent color until it is legible (docs/product.md#visual-design). Contrast as in WCAG 2.2, 1.4.3.
 */
import type { AppConfig, PageConfig } from './app-config';

type Rgb = readonly [number, number, number];

/** What a wash is mixed from, by theme. */
const GROUNDS = { light: '#fdfcfa', dark: '#191f2b' } as const;
/** The background of lowest contrast among the tokens, by theme: links stand in notices, too. */
const WORST_GROUNDS = { light: '#fbeceb', dark: '#2d2413' } as const;
const INKS = { light: '#ffffff', dark: '#0c1016' } as const;
/** Of text; `more`: for `prefers-contrast: more` (1.4.6). */
const TEXT_CONTRAST = { normal: 4.5, more: 7 } as const;
const STEP = 0.04;

/** Contrast ratio of two colors, 1 to 21. @param a `#rrggbb` */
export function contrast(a: string, b: string): number {
  const [lighter = 0, darker = 0] = [luminance(parse(a)), luminance(parse(b))].sort((x, y) => y - x);
  return (lighter + 0.05) / (darker + 0.05);
}

export type CorrectedAccent = { accent: string; strong: string; onAccent: string; wash: string; corrected: boolean };

/** The nearest accent, in steps toward black or white, that passes as text and as the background of a button label. */
export function correctAccent(
  wanted: string,
  theme: 'light' | 'dark',
  level: keyof typeof TEXT_CONTRAST = 'normal',
): CorrectedAccent {
  const towards: Rgb = theme === 'light' ? [0, 0, 0] : [255, 255, 255];
  let accent = wanted.toLowerCase();
  for (let share = STEP; share <= 1 && !passes(accent, theme, TEXT_CONTRAST[level]); share += STEP) {
    accent = format(mix(parse(wanted), towards, share));
  }
  return {
    accent,
    strong: format(mix(parse(accent), towards, 0.2)),
    onAccent: getLabelColor(accent),
    wash: getWash(accent, theme),
    corrected: accent !== wanted.toLowerCase(),
  };
}

/** Corrects the config's colors and converts them to CSS; a brand without colors keeps the product's own. */
export function toPageConfig({ colors, ...config }: AppConfig): PageConfig {
  // The server's alone.
  delete config.secondFactor;
  delete config.defaultLanguage;
  return colors ? { ...config, brandCss: brandCss(colors) } : config;
}

/** Deterministic: the same colors produce the same CSS. */
function brandCss({ light, dark }: NonNullable<AppConfig['colors']>): string {
  // One element selector more than the tokens have, so that it wins regardless of order.
  const lightRules = rules('html:root', light.accent, 'light');
  return `${lightRules}@media not print{${rules("html:root[data-theme='dark']", dark.accent, 'dark')}}`;
}

/** With those for more contrast, unless the accent has it already. */
function rules(selector: string, accent: string, theme: 'light' | 'dark'): string {
  const [normal, more] = (['normal', 'more'] as const).map(
    (level) => `${selector}{${declarations(correctAccent(accent, theme, level))}}`,
  );
  return normal === more ? String(normal) : `${String(normal)}@media (prefers-contrast:more){${String(more)}}`;
}

function declarations({ accent, strong, onAccent, wash }: CorrectedAccent): string {
  return `--accent:${accent};--accent-strong:${strong};--on-accent:${onAccent};--accent-wash:${wash}`;
}

function passes(accent: string, theme: 'light' | 'dark', least: number): boolean {
  const others = [WORST_GROUNDS[theme], getWash(accent, theme), getLabelColor(accent)];
  return others.every((other) => contrast(accent, other) >= least);
}

function getWash(accent: string, theme: 'light' | 'dark'): string {
  return format(mix(parse(GROUNDS[theme]), parse(accent), 0.1));
}

function getLabelColor(accent: string): string {
  return contrast(INKS.light, accent) >= contrast(INKS.dark, accent) ? INKS.light : INKS.dark;
}

function luminance(color: Rgb): number {
  const [r = 0, g = 0, b = 0] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function mix(a: Rgb, b: Rgb, share: number): Rgb {
  const blend = (x: number, y: number) => Math.round(x + (y - x) * share);
  return [blend(a[0], b[0]), blend(a[1], b[1]), blend(a[2], b[2])];
}

function parse(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function format(color: Rgb): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
