import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Off by default: the accessible name contains the visible label (WCAG 2.2, 2.5.3), for control by voice. */
const LABEL_IN_NAME = 'label-content-name-mismatch';

/** Accessibility violations of the page as it is now, each with its elements. */
export async function findViolations(page: Page): Promise<string[]> {
  const rules = { [LABEL_IN_NAME]: { enabled: true } };
  return analyze(page, (axe) => axe.options({ runOnly: { type: 'tag', values: WCAG }, rules }));
}

/** No accessibility violation on the page as it is now; the test goes on to find others. @param where named in the message */
export async function expectNoViolations(page: Page, where = ''): Promise<void> {
  expect.soft(await findViolations(page), where).toEqual([]);
}

/** No violation of the rules. @param where named in the message */
export async function expectRulesHold(page: Page, rules: string[], where: string): Promise<void> {
  expect.soft(await analyze(page, (axe) => axe.withRules(rules)), where).toEqual([]);
}

async function analyze(page: Page, configure: (axe: AxeBuilder) => AxeBuilder): Promise<string[]> {
  // Colors in transition have no contrast of their own. The end of one can begin another, of an element that inherits its color.
  await page.evaluate(async () => {
    const getRunning = () => document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    for (let running = getRunning(); running.length > 0; running = getRunning()) {
      running.forEach((transition) => transition.finish());
      await new Promise(requestAnimationFrame);
    }
  });
  // Without a page of its own for the report: it is needed only for frames of other origins, which no screen has.
  const { violations } = await configure(new AxeBuilder({ page }).setLegacyMode()).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
