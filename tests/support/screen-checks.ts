import { expect, type Page } from '@playwright/test';

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

/** At 200 %, also with custom text spacing, no content overflows the screen and no text is cut off. */
export async function expectNothingLost(page: Page, name: string): Promise<void> {
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
export async function expectTargets(page: Page, name: string): Promise<void> {
  const small = await page.evaluate(smallTargets, { ours: OUR_TARGET, least: LEAST_TARGET });
  expect(small, `${name}: targets`).toEqual([]);
}

/** With reduced motion, nothing moves. */
export async function expectStillness(page: Page, name: string): Promise<void> {
  const moving = () => document.getAnimations().filter(({ playState }) => playState === 'running').length;
  await expect.poll(() => page.evaluate(moving), `${name}: animations`).toBe(0);
}

/** Tab reaches every control, in page order; each tab stop shows its focus and is not covered. */
export async function expectWalk(page: Page, name: string): Promise<void> {
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
    const wide = overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1;
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
    if (box.width === 0 || inText) return [];
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
