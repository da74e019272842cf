import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/**
 * This rule is off by default. It requires that the accessible name contains the visible label, for voice control (WCAG
 * 2.2, 2.5.3).
 */
const LABEL_IN_NAME = 'label-content-name-mismatch';

/** Lists the page's current accessibility violations, each with its elements. */
export async function findViolations(page: Page): Promise<string[]> {
  const rules = { [LABEL_IN_NAME]: { enabled: true } };
  return analyze(page, (axe) => axe.options({ runOnly: { type: 'tag', values: WCAG }, rules }));
}

/**
 * Expects no accessibility violation on the current page. The test continues after a failure to find further
 * violations. @param where a name for the message
 */
export async function expectNoViolations(page: Page, where = ''): Promise<void> {
  expect.soft(await findViolations(page), where).toEqual([]);
}

/** Expects no violation of these rules. @param where a name for the message */
export async function expectRulesHold(page: Page, rules: string[], where: string): Promise<void> {
  expect.soft(await analyze(page, (axe) => axe.withRules(rules)), where).toEqual([]);
}

async function analyze(page: Page, configure: (axe: AxeBuilder) => AxeBuilder): Promise<string[]> {
  // Colors in transition have no stable contrast. When a transition ends, another can begin in an element that inherits
  // the color.
  await page.evaluate(async () => {
    const getRunning = () => document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    for (let running = getRunning(); running.length > 0; running = getRunning()) {
      running.forEach((transition) => transition.finish());
      await new Promise(requestAnimationFrame);
    }
  });
  // Legacy mode needs no extra page for the report. Only frames of other origins need that page, and no screen has
  // them.
  const { violations } = await configure(new AxeBuilder({ page }).setLegacyMode()).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
