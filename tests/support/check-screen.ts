import { expect, type Page } from '@playwright/test';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SCREENS_FOLDER } from '../../scripts/lib/paths.mjs';
import { expectNoViolations, expectRulesHold } from './axe';
import { pageReady } from './journeys';

/** The rules whose result depends on the theme. */
const BY_COLOR = ['color-contrast', 'link-in-text-block'];
/** Requires a contrast of 7 for text and 4.5 for large text (WCAG 2.2, 1.4.6). */
const MORE_CONTRAST = ['color-contrast-enhanced'];
/** The width of 1280 px at 400 % zoom (WCAG 2.2, 1.4.10). */
const NARROWEST = { width: 320, height: 640 };
/** 1280 × 800 px at 200 % zoom (WCAG 2.2, 1.4.4). */
const ZOOMED = { width: 640, height: 400 };
/**
 * Minimum size of our buttons and fields in px (docs/product.md#visual-design). All other targets have at least WCAG's
 * 24 px (2.5.8).
 */
const OUR_TARGET = 44;
const LEAST_TARGET = 24;
/** More tab stops than any screen has. */
const MOST_STOPS = 60;
/** The text spacing under which no content may be lost (WCAG 2.2, 1.4.12). */
const SPACING = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
p { margin-block-end: 2em !important; }`;
const DEVICES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } } as const;
const LANGUAGE_DEVICES = { narrow: NARROWEST, ...DEVICES } as const;
const THEMES = ['light', 'dark'] as const;
/** WebP quality in percent. Text stays sharp, and an image has 10 to 30 KB. */
const QUALITY = 60;
const TALLEST = 1_800;

/** Languages of the pictures that `npm run screens` takes. */
const PICTURES = process.env.SCREENS?.split(',') ?? [];
const ENGLISH = 'en';
/** A right-to-left language, a language with long words, the pseudo-language, and all languages of pictures. */
const OTHERS = [...new Set(['ar', 'de', 'en-XA', ...PICTURES])].filter((language) => language !== ENGLISH);
/**
 * `LOCALES` of the app whose screens are checked. Pictures for the documentation show an app that offers only English.
 */
export const LOCALES = PICTURES.includes(ENGLISH) ? ENGLISH : [ENGLISH, ...OTHERS].join(',');
/** These screens have no language switch, or leave when they are reloaded. */
const NOT_SWITCHED = ['failure', 'not-found', 'keep-account.kept', 'sign-in.sent-back', 'second-factor.recovered'];
/** Screens with the learner's own words, which can be longer than a line. */
const OWNERS_TEXTS = ['longest-names'];
/**
 * Letters twice as large leave 310 px on a phone, which is too little for the long words of these languages and of
 * headings.
 */
const LONG_WORDED = ['de', 'en-XA'];
const HEADINGS = 'h1, h2, h3';

const getFile = (screen: string, device: string, theme: string) => `${screen}.${device}.${theme}.webp`;

/**
 * Checks a screen in its current state after hydration. It expects no accessibility violation in either theme. It
 * checks that no content is lost at 200% zoom, with large text, with wide text spacing or on the narrowest screen. It
 * checks target sizes, more contrast, forced colors and reduced motion. It checks the tab order of a screen in its
 * first state, and then the same screen in other languages. `npm run screens` also takes screenshots.
 * @param name of the screen and, after a dot, of its state
 */
export async function checkScreen(page: Page, name: string): Promise<void> {
  await pageReady(page);
  await page.waitForLoadState('networkidle');
  if (PICTURES.includes(ENGLISH)) await shoot(page, name, DEVICES, SCREENS_FOLDER);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await expectStillness(page, name);
  await expectNothingLost(page, name);
  if (!name.includes('.')) await expectWalk(page, name);
  await page.setViewportSize(NARROWEST);
  expect.soft(await page.evaluate(cutOff), `${name} at 400 %`).toEqual([]);
  await expectWholeWords(page, name);
  await expectTargets(page, name);
  for (const colorScheme of ['light', 'dark'] as const) {
    const isFirst = colorScheme === 'light';
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // A page without configuration reads the theme only when it is loaded.
    if ((await page.getByRole('combobox', { name: 'Theme' }).count()) === 0) await page.reload();
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await expectStillness(page, name);
    if (isFirst) await expectNoViolations(page, `${name}, ${colorScheme}`);
    else await expectRulesHold(page, BY_COLOR, `${name}, ${colorScheme}`);
    await page.emulateMedia({ contrast: 'more' });
    await expectRulesHold(page, MORE_CONTRAST, `${name}, ${colorScheme}, more contrast`);
    await page.emulateMedia({ contrast: null });
  }
  await expectForcedColors(page, name);
  await checkLanguages(page, name);
}

/** Checks the current screen in other languages by its own language switch, and returns to English. */
async function checkLanguages(page: Page, name: string): Promise<void> {
  const languages = page.locator('header select:has([lang])');
  if (LOCALES === ENGLISH || NOT_SWITCHED.includes(name)) return;
  await expect(languages, `${name}: the languages`).toBeVisible();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const choose = async (language: string) => {
    // An error page is loaded again for each language. A choice before hydration would be lost.
    await pageReady(page);
    await languages.selectOption(language);
  };
  for (const language of OTHERS) {
    const where = `${name} in ${language}`;
    await choose(language);
    await expect(page.locator('html')).toHaveAttribute('lang', language);
    await expect(page.locator('html')).toHaveAttribute('dir', language === 'ar' ? 'rtl' : 'ltr');
    await expectNothingLost(page, where, language);
    await page.setViewportSize(NARROWEST);
    expect.soft(await page.evaluate(cutOff), `${where} at 400 %`).toEqual([]);
    await expectWholeWords(page, where);
    if (language === 'ar') await expectNoViolations(page, where);
    if (PICTURES.includes(language)) await shoot(page, name, LANGUAGE_DEVICES, path.join(SCREENS_FOLDER, language));
  }
  await choose(ENGLISH);
  await expect(page.locator('html')).toHaveAttribute('lang', ENGLISH);
}

/** How long a page may take to follow the theme of the system, in milliseconds. */
const THEME_MS = 3_000;

/**
 * Takes screenshots of the current page on all devices and in both themes.
 * @param name of the screen and its state
 */
async function shoot(
  page: Page,
  name: string,
  devices: Record<string, { width: number; height: number }>,
  folder: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const browser = await page.context().newCDPSession(page);
  for (const [device, size] of Object.entries(devices)) {
    for (const theme of THEMES) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      // Error pages keep the theme of their load.
      const themed = page.locator(`html[data-theme="${theme}"]`);
      await themed.waitFor({ timeout: THEME_MS }).catch(() => undefined);
      await page.evaluate(() => scrollTo(0, 0));
      await page.evaluate(settled);
      // Elements fixed to the viewport's height span the full page in the screenshot.
      const whole = await page.evaluate(() => document.documentElement.scrollHeight);
      const height = Math.min(TALLEST, Math.max(size.height, whole));
      await page.setViewportSize({ width: size.width, height });
      const clip = { x: 0, y: 0, width: size.width, height, scale: 1 };
      await page.evaluate(settled);
      const picture = { format: 'webp', quality: QUALITY, clip } as const;
      const { data } = await browser.send('Page.captureScreenshot', picture);
      writeFileSync(path.join(folder, getFile(name, device, theme)), Buffer.from(data, 'base64'));
    }
  }
}

/** Expects that zoom to 200% (of the page or its text) and wide text spacing cut off no text and overflow nowhere. */
async function expectNothingLost(page: Page, name: string, language = ENGLISH): Promise<void> {
  for (const { width, height } of Object.values(DEVICES)) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => void (document.documentElement.style.fontSize = '200%'));
    expect.soft(await page.evaluate(cutOff), `${name} with large text at ${String(width)} px`).toEqual([]);
    const isPhone = width < ZOOMED.width;
    const [where, skipped] = [`${name} with large text at ${String(width)} px`, isPhone ? HEADINGS : undefined];
    if (!isPhone || !LONG_WORDED.includes(language)) await expectWholeWords(page, where, skipped);
    await page.evaluate(() => document.documentElement.style.removeProperty('font-size'));
  }
  await page.setViewportSize(ZOOMED);
  expect.soft(await page.evaluate(cutOff), `${name} at 200 %`).toEqual([]);
  await expectWholeWords(page, `${name} at 200 %`);
  await page.evaluate((rules) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    document.adoptedStyleSheets = [sheet];
  }, SPACING);
  expect.soft(await page.evaluate(cutOff), `${name} with wide text`).toEqual([]);
  await page.evaluate(() => void (document.adoptedStyleSheets = []));
}

/** Expects that no word is split between two lines. @param skipped selector of elements to skip */
async function expectWholeWords(page: Page, name: string, skipped = 'template'): Promise<void> {
  if (OWNERS_TEXTS.some((state) => name.includes(state))) return;
  expect.soft(await page.evaluate(brokenWords, skipped), `${name}: broken words`).toEqual([]);
}

/** Expects that every control and the focus are visible with the system's colors, and stay inside the column. */
async function expectForcedColors(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'light', reducedMotion: 'reduce' });
  expect.soft(await page.evaluate(cutOff), `${name} with forced colors`).toEqual([]);
  expect.soft(await page.evaluate(invisibleControls), `${name} with forced colors`).toEqual([]);
  await page.emulateMedia({ forcedColors: null });
}

/** Expects that every target is large enough. */
async function expectTargets(page: Page, name: string): Promise<void> {
  const small = await page.evaluate(smallTargets, { ours: OUR_TARGET, least: LEAST_TARGET });
  expect.soft(small, `${name}: targets`).toEqual([]);
}

/** Expects that nothing moves with reduced motion. */
async function expectStillness(page: Page, name: string): Promise<void> {
  const moving = () => document.getAnimations().filter(({ playState }) => playState === 'running').length;
  await expect.poll(() => page.evaluate(moving), `${name}: animations`).toBe(0);
}

/** Expects that Tab reaches every control in page order, and that each tab stop shows its focus and is not covered. */
async function expectWalk(page: Page, name: string): Promise<void> {
  await page.setViewportSize(ZOOMED);
  const stops = await page.evaluate(startWalk);
  expect(stops, name).toBeLessThan(MOST_STOPS);
  const met: string[] = [];
  for (let stop = 0; stop < stops; stop += 1) {
    await page.keyboard.press('Tab');
    met.push(await page.evaluate(stopAt, stop));
  }
  expect(
    met.filter((fault) => fault !== ''),
    `${name}: stops of Tab`,
  ).toEqual([]);
}

// The functions below run in the browser, so each must be self-contained.

function cutOff(): string[] {
  const isBeside = ({ left, right }: DOMRect) => left < -1 || right > innerWidth + 1;
  const beside =
    document.documentElement.scrollWidth > innerWidth
      ? [...document.querySelectorAll('body *:not(svg *, nav *)')]
          .filter((element) => isBeside(element.getBoundingClientRect()))
          .map(({ outerHTML }) => `wider than the screen: ${outerHTML.slice(0, 120)}`)
      : [];
  const cut = [...document.querySelectorAll<HTMLElement>('body *:not(svg, svg *)')].filter((element) => {
    const { overflowX, overflowY, textOverflow, clipPath } = getComputedStyle(element);
    // An ellipsis indicates that there is more text. Text only for screen readers cannot be cut off.
    if (textOverflow === 'ellipsis' || clipPath !== 'none' || element.clientWidth <= 1) return false;
    if (element.innerText.trim() === '') return false;
    // This row scrolls sideways, so all of it can be reached.
    const isRow = element.matches('nav') && overflowX === 'auto';
    const wide = overflowX !== 'visible' && !isRow && element.scrollWidth > element.clientWidth + 1;
    const high = overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1;
    return wide || high;
  });
  return [...beside, ...cut.map(({ outerHTML }) => outerHTML.slice(0, 120))];
}

function brokenWords(skipped: string): string[] {
  const found: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const parent = node.parentElement;
    // Addresses, codes and names have their own length.
    if (!parent?.checkVisibility() || parent.closest('bdi, [dir]:not(html), [translate], script, style')) continue;
    if (parent.closest(skipped)) continue;
    for (const { 0: token, index } of (node.nodeValue ?? '').matchAll(/\S+/g)) {
      if (/[@\d/]|\w\.\w/.test(token)) continue;
      for (const { 0: word, index: at } of token.matchAll(/[\p{L}\p{M}\u2019']+/gu)) {
        const range = document.createRange();
        // The hyphen of a soft hyphen belongs to the next part of the word.
        const isDivided = token[at - 1] === '\u00ad';
        range.setStart(node, index + at + Number(isDivided));
        range.setEnd(node, index + at + word.length);
        const lines = new Set(
          [...range.getClientRects()]
            .filter(({ width }) => width > 1)
            .map(({ top, height }) => Math.round(top + height / 2)),
        );
        if (lines.size > 1) found.push(word);
      }
    }
  }
  return found;
}

/** Returns controls without a visible border, background or text, and controls that leave their column. */
function invisibleControls(): string[] {
  const all = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')];
  const column = document.querySelector('main')?.getBoundingClientRect();
  return all.flatMap((element) => {
    if (!element.checkVisibility()) return [];
    const box = element.getBoundingClientRect();
    const isHidden = box.width <= 1;
    if (isHidden) return [];
    const what = element.outerHTML.slice(0, 120);
    const { borderTopWidth, borderTopStyle, borderTopColor, color } = getComputedStyle(element);
    const paper = getComputedStyle(document.body).backgroundColor;
    const isBordered = Number.parseFloat(borderTopWidth) > 0 && borderTopStyle !== 'none' && borderTopColor !== paper;
    let ground: Element | null = element;
    while (ground && /^rgba.*, 0\)$/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
    const isWritten =
      element.innerText.trim() !== '' && color !== getComputedStyle(ground ?? document.body).backgroundColor;
    const isNative = element.matches('select, input:is([type=checkbox], [type=radio])');
    const hasIcon = element.querySelector('svg, img') !== null;
    const isButton = element.matches('button, input') && !isNative;
    const seen = isButton ? isBordered || isWritten || hasIcon : isWritten || isNative || hasIcon;
    // A row that scrolls sideways may reach farther.
    const isInside =
      !element.closest('main') ||
      element.closest('nav') !== null ||
      !column ||
      (box.left >= column.left - 0.5 && box.right <= column.right + 0.5);
    return [...(seen ? [] : [`not visible: ${what}`]), ...(isInside ? [] : [`outside its column: ${what}`])];
  });
}

function smallTargets({ ours, least }: { ours: number; least: number }): string[] {
  const all = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')];
  return all.flatMap((element) => {
    const style = getComputedStyle(element);
    // A link within a sentence is as high as its line.
    const inText = style.display === 'inline' && element.parentElement?.innerText.trim() !== element.innerText.trim();
    // A card's link can be selected anywhere on the card, and a checkbox anywhere on its label.
    const onCard = getComputedStyle(element, '::after').position === 'absolute' ? element.offsetParent : null;
    const box = (onCard ?? element.closest('label') ?? element).getBoundingClientRect();
    // An element that is visible only with focus, such as the skip link, is no target of a pointer.
    const isHidden = box.width <= 1;
    if (isHidden || inText) return [];
    const wanted = element.matches('button, input') && !element.closest('p') ? ours : least;
    const size = `${Math.round(box.width)} × ${Math.round(box.height)}`;
    return Math.min(box.width, box.height) >= wanted - 0.5 ? [] : [`${size}: ${element.outerHTML.slice(0, 120)}`];
  });
}

/** Numbers the controls and resets focus to the top of the page. @returns the number of tab stops */
function startWalk(): number {
  const all = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')];
  const reachable = all.filter((element) => element.tabIndex === 0 && element.checkVisibility());
  reachable.forEach((element, index) => (element.dataset.stop = String(index)));
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute('tabindex');
  return reachable.length;
}

/** @returns the errors of the focused tab stop */
function stopAt(expected: number): string {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return `${expected}: focus is nowhere`;
  const what = `${expected}: ${element.outerHTML.slice(0, 120)}`;
  if (element.dataset.stop !== String(expected)) return `${what} out of order`;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  if (outlineStyle === 'none' || Number.parseFloat(outlineWidth) < 2) return `${what} without a ring`;
  const box = element.getBoundingClientRect();
  const points = [0.1, 0.5, 0.9].map((part) => [box.left + box.width * part, box.top + box.height / 2] as const);
  const seen = points.some(([x, y]) => {
    const top = document.elementFromPoint(x, y);
    return top !== null && (element.contains(top) || element.closest('label')?.contains(top) === true);
  });
  return seen ? '' : `${what} covered`;
}

/** Waits until fonts and images are loaded and two frames are painted. Runs in the browser. */
async function settled(): Promise<void> {
  await document.fonts.ready;
  await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}
