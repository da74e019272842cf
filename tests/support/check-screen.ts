import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SCREENS_FOLDER } from '../../scripts/lib/paths.mjs';
import { pageReady } from './journeys';

/** The rules whose result depends on the theme. */
const BY_COLOR = ['color-contrast', 'link-in-text-block'];
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The width of 1280 px at 400 % zoom (WCAG 2.2, 1.4.10). */
const NARROWEST = { width: 320, height: 640 };
/** 1280 × 800 px at 200 % zoom (WCAG 2.2, 1.4.4). */
const ZOOMED = { width: 640, height: 400 };
/**
 * Minimum size of our buttons and fields, in px (docs/product.md#visual-design); all other targets have at least
 * WCAG's 24 (2.5.8).
 */
const OUR_TARGET = 44;
const LEAST_TARGET = 24;
/** More tab stops than any screen has. */
const MOST_STOPS = 60;
/** The text spacing under which no content may be lost (WCAG 2.2, 1.4.12). */
const SPACING = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
p { margin-block-end: 2em !important; }`;
const DEVICES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } } as const;
const THEMES = ['light', 'dark'] as const;
/** WebP quality, in percent: text stays sharp, an image has 10 to 30 KB. */
const QUALITY = 60;
const TALLEST = 1_800;

const getFile = (screen: string, device: string, theme: string) => `${screen}.${device}.${theme}.webp`;

/**
 * Checks a screen in its current state, after hydration: no accessibility violation in either theme, no content lost
 * at 200 % zoom, with wide text spacing or on the narrowest screen, target sizes, no motion with reduced motion, and,
 * for a screen in its first state, the tab order. `npm run screens` takes screenshots as well.
 * @param name of the screen and, after a dot, of its state
 */
export async function checkScreen(page: Page, name: string): Promise<void> {
  await pageReady(page);
  await page.waitForLoadState('networkidle');
  if (process.env.SCREENS) await shoot(page, name);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await expectStillness(page, name);
  await expectNothingLost(page, name);
  if (!name.includes('.')) await expectWalk(page, name);
  await page.setViewportSize(NARROWEST);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(NARROWEST.width);
  await expectTargets(page, name);
  for (const colorScheme of ['light', 'dark'] as const) {
    const isFirst = colorScheme === 'light';
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // A page without configuration takes the theme when it is loaded.
    if ((await page.getByRole('combobox', { name: 'Theme' }).count()) === 0) await page.reload();
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await expectStillness(page, name);
    const axe = new AxeBuilder({ page });
    const { violations } = await (isFirst ? axe.withTags(WCAG) : axe.withRules(BY_COLOR)).analyze();
    expect(violations.map(({ id, nodes }) => `${name}, ${colorScheme}: ${id} ${nodes[0]?.html ?? ''}`)).toEqual([]);
  }
}

/**
 * Takes screenshots of the current page, on both devices and in both themes.
 * @param name of the screen and its state
 */
async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENS_FOLDER, { recursive: true });
  const browser = await page.context().newCDPSession(page);
  for (const [device, size] of Object.entries(DEVICES)) {
    for (const theme of THEMES) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await page.evaluate(settled);
      // Elements fixed to the viewport's height span the full page in the screenshot.
      const whole = await page.evaluate(() => document.documentElement.scrollHeight);
      const height = Math.min(TALLEST, Math.max(size.height, whole));
      await page.setViewportSize({ width: size.width, height });
      const clip = { x: 0, y: 0, width: size.width, height, scale: 1 };
      await page.evaluate(settled);
      const picture = { format: 'webp', quality: QUALITY, clip } as const;
      const { data } = await browser.send('Page.captureScreenshot', picture);
      writeFileSync(path.join(SCREENS_FOLDER, getFile(name, device, theme)), Buffer.from(data, 'base64'));
    }
  }
}

/** At 200 %, also with custom text spacing, no content overflows the screen and no text is cut off. */
async function expectNothingLost(page: Page, name: string): Promise<void> {
  await page.setViewportSize(ZOOMED);
  expect(await page.evaluate(cutOff), `${name} at 200 %`).toEqual([]);
  await page.evaluate((rules) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    document.adoptedStyleSheets = [sheet];
  }, SPACING);
  expect(await page.evaluate(cutOff), `${name} with wide text`).toEqual([]);
  await page.evaluate(() => void (document.adoptedStyleSheets = []));
}

/** Every target is large enough. */
async function expectTargets(page: Page, name: string): Promise<void> {
  const small = await page.evaluate(smallTargets, { ours: OUR_TARGET, least: LEAST_TARGET });
  expect(small, `${name}: targets`).toEqual([]);
}

/** With reduced motion, nothing moves. */
async function expectStillness(page: Page, name: string): Promise<void> {
  const moving = () => document.getAnimations().filter(({ playState }) => playState === 'running').length;
  await expect.poll(() => page.evaluate(moving), `${name}: animations`).toBe(0);
}

/** Tab reaches every control, in page order; each tab stop shows its focus and is not covered. */
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
  const beside = document.documentElement.scrollWidth > innerWidth ? ['the page is wider than the screen'] : [];
  const cut = [...document.querySelectorAll<HTMLElement>('body *:not(svg, svg *)')].filter((element) => {
    const { overflowX, overflowY, textOverflow, clipPath } = getComputedStyle(element);
    // An ellipsis indicates that there is more; text only for screen readers cannot be cut off.
    if (textOverflow === 'ellipsis' || clipPath !== 'none' || element.clientWidth <= 1) return false;
    if (element.innerText.trim() === '') return false;
    // A row that scrolls sideways: all of it can be reached.
    const isRow = element.matches('nav') && overflowX === 'auto';
    const wide = overflowX !== 'visible' && !isRow && element.scrollWidth > element.clientWidth + 1;
    const high = overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1;
    return wide || high;
  });
  return [...beside, ...cut.map(({ outerHTML }) => outerHTML.slice(0, 120))];
}

function smallTargets({ ours, least }: { ours: number; least: number }): string[] {
  const all = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')];
  return all.flatMap((element) => {
    const style = getComputedStyle(element);
    // A link in a sentence is as high as its line.
    const inText = style.display === 'inline' && element.parentElement?.innerText.trim() !== element.innerText.trim();
    // A card's link can be selected anywhere on the card, a checkbox anywhere on its label.
    const onCard = getComputedStyle(element, '::after').position === 'absolute' ? element.offsetParent : null;
    const box = (onCard ?? element.closest('label') ?? element).getBoundingClientRect();
    // One that only the focus shows, such as the skip link, is no target of a pointer.
    const isHidden = box.width <= 1;
    if (isHidden || inText) return [];
    const wanted = element.matches('button, input') && !element.closest('p') ? ours : least;
    const size = `${Math.round(box.width)} × ${Math.round(box.height)}`;
    return Math.min(box.width, box.height) >= wanted - 0.5 ? [] : [`${size}: ${element.outerHTML.slice(0, 120)}`];
  });
}

/** Numbers the controls, and resets focus to the top of the page. @returns the number of tab stops */
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

/** Waits until fonts and images are loaded, and two frames are painted. Runs in the browser. */
async function settled(): Promise<void> {
  await document.fonts.ready;
  await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}
