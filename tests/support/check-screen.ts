import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { pageReady } from './journeys';
import { expectNothingLost, expectStillness, expectTargets, expectWalk } from './screen-checks';
import { shoot } from './shoot';

/** The rules whose result depends on the theme. */
const BY_COLOR = ['color-contrast', 'link-in-text-block'];
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The width of 1280 px at 400 % zoom (WCAG 2.2, 1.4.10). */
const NARROWEST = { width: 320, height: 640 };

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
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await expectStillness(page, name);
    const axe = new AxeBuilder({ page });
    const { violations } = await (isFirst ? axe.withTags(WCAG) : axe.withRules(BY_COLOR)).analyze();
    expect(violations.map(({ id, nodes }) => `${name}, ${colorScheme}: ${id} ${nodes[0]?.html ?? ''}`)).toEqual([]);
  }
}
