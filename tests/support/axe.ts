import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Off by default: the accessible name contains the visible label (WCAG 2.2, 2.5.3), for control by voice. */
const LABEL_IN_NAME = 'label-content-name-mismatch';

/** Accessibility violations of the page as it is now, each with its elements. */
export async function findViolations(page: Page): Promise<string[]> {
  const rules = { [LABEL_IN_NAME]: { enabled: true } };
  return describe(new AxeBuilder({ page }).options({ runOnly: { type: 'tag', values: WCAG }, rules }));
}

/** No accessibility violation on the page as it is now; the test goes on to find others. @param where named in the message */
export async function expectNoViolations(page: Page, where = ''): Promise<void> {
  expect.soft(await findViolations(page), where).toEqual([]);
}

/** No violation of the rules. @param where named in the message */
export async function expectRulesHold(page: Page, rules: string[], where: string): Promise<void> {
  expect.soft(await describe(new AxeBuilder({ page }).withRules(rules)), where).toEqual([]);
}

async function describe(axe: AxeBuilder): Promise<string[]> {
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
