import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Off by default: the accessible name contains the visible label (WCAG 2.2, 2.5.3), for control by voice. */
const LABEL_IN_NAME = 'label-content-name-mismatch';

/** No accessibility violation on the page as it is now; the test goes on to find others. @param where named in the message */
export async function expectNoViolations(page: Page, where = ''): Promise<void> {
  const rules = { [LABEL_IN_NAME]: { enabled: true } };
  await expectNone(new AxeBuilder({ page }).options({ runOnly: { type: 'tag', values: WCAG }, rules }), where);
}

/** No violation of the rules. @param where named in the message */
export async function expectNoViolationsOf(page: Page, rules: string[], where: string): Promise<void> {
  await expectNone(new AxeBuilder({ page }).withRules(rules), where);
}

async function expectNone(axe: AxeBuilder, where: string): Promise<void> {
  const { violations } = await axe.analyze();
  expect.soft(violations.map(({ id, nodes }) => `${where} ${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
}
