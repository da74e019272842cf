/**
 * Corrects a brand's accent color until it is legible (docs/product.md#visual-design). Contrast is defined as in WCAG
 * 2.2, 1.4.3.
 */
import type { AppConfig, PageConfig } from './app-config';

type Rgb = readonly [number, number, number];

/** The color that a wash is mixed with, by theme. */
const GROUNDS = { light: '#fdfcfa', dark: '#191f2b' } as const;
/** The token background with the lowest contrast, by theme, because notices also contain links. */
const WORST_GROUNDS = { light: '#fbeceb', dark: '#2d2413' } as const;
const INKS = { light: '#ffffff', dark: '#0c1016' } as const;
/** Contrast of text. `more`: for `prefers-contrast: more` (1.4.6). */
const TEXT_CONTRAST = { normal: 4.5, more: 7 } as const;
const STEP = 0.04;
/** An accent whose hue differs by fewer degrees from that of errors would make a focused field look invalid. */
const ERROR_HUE_DISTANCE = 25;
const ERROR_HUE = 4;
/** Below it, a color looks gray. */
const MIN_CHROMA = 40;

/** Returns the contrast ratio of two colors, from 1 to 21. @param a `#rrggbb` */
export function contrast(a: string, b: string): number {
  const [lighter = 0, darker = 0] = [luminance(parse(a)), luminance(parse(b))].sort((x, y) => y - x);
  return (lighter + 0.05) / (darker + 0.05);
}

export type CorrectedAccent = { accent: string; strong: string; onAccent: string; wash: string; corrected: boolean };

/** Returns the nearest accent, in steps toward black or white, that passes as text and as a button's background. */
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

/**
 * Converts a config for a page. It corrects the colors and converts them to CSS, and a brand without colors keeps the
 * product's own. Of a headline with several languages, it takes the text of the page's language, if there is one.
 * @param language of the page
 */
export function toPageConfig(
  { colors, splitScreenHeadline: texts, ...config }: AppConfig,
  language: string,
): PageConfig {
  // Only the server uses these.
  delete config.secondFactor;
  delete config.defaultLanguage;
  const headline = typeof texts === 'object' ? (texts[language] ?? texts[language.split('-')[0] ?? '']) : texts;
  return {
    ...config,
    ...(headline !== undefined && { splitScreenHeadline: headline }),
    ...(colors && { brandCss: brandCss(colors) }),
  };
}

/** Converts colors to CSS. The same colors always give the same CSS. */
function brandCss({ light, dark }: NonNullable<AppConfig['colors']>): string {
  // Has an extra element selector, so that it overrides the tokens regardless of order.
  const lightRules = rules('html:root', light.accent, 'light');
  return `${lightRules}@media not print{${rules("html:root[data-theme='dark']", dark.accent, 'dark')}}`;
}

/** Includes rules for more contrast, unless the accent already has it. */
function rules(selector: string, accent: string, theme: 'light' | 'dark'): string {
  const [normal, more] = (['normal', 'more'] as const).map(
    (level) => `${selector}{${declarations(correctAccent(accent, theme, level))}}`,
  );
  return normal === more ? String(normal) : `${String(normal)}@media (prefers-contrast:more){${String(more)}}`;
}

function declarations({ accent, strong, onAccent, wash }: CorrectedAccent): string {
  const focus = looksLikeError(accent) ? ';--focus:var(--ink)' : '';
  return `--accent:${accent};--accent-strong:${strong};--on-accent:${onAccent};--accent-wash:${wash}${focus}`;
}

/** Whether an accent has the hue of error messages. Focus then has the color of text. */
function looksLikeError(accent: string): boolean {
  const [r, g, b] = parse(accent);
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  const chroma = most - least;
  if (chroma < MIN_CHROMA || most !== r) return false;
  // The hue of a color whose red is strongest, in degrees from -60 to 60.
  return Math.abs((60 * (g - b)) / chroma - ERROR_HUE) < ERROR_HUE_DISTANCE;
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
