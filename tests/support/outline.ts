import type { Page } from '@playwright/test';
import { existsSync } from 'node:fs';
import { expectNoViolations } from './axe';
import { expect } from './fixtures';

/**
 * Expects a screen's accessibility tree in order. A change of these files is a change for users of screen readers. The
 * nightly tests of the screens check the appearance of all states, in both themes and at all sizes.
 */
export async function expectOutline(page: Page, name: string): Promise<void> {
  // A missing file would match every screen.
  expect.soft(existsSync(`tests/e2e/outlines/${name}.aria.yml`), `${name}: its outline`).toBe(true);
  await expect.soft(page.locator('#__next'), name).toMatchAriaSnapshot({ name: `${name}.aria.yml` });
  await expectNoViolations(page);
}
