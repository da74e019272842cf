import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { getSignInUrl, pageReady, signIn } from '../support/journeys';
import { showWay } from '../support/sign-in-ways';

/** Doubles the size of text, as WCAG 1.4.4 requires, without zooming the page. */
const enlargeText = (page: Page) =>
  page.addInitScript(() =>
    addEventListener('DOMContentLoaded', () => document.documentElement.style.setProperty('font-size', '200%')),
  );

test('with large text on a phone, providers keep their names in one line', async ({ page, endpoints }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await enlargeText(page);
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  for (const name of ['Microsoft', 'Facebook', 'LinkedIn']) {
    const button = page.getByRole('button', { name: `Continue with ${name}` });
    await showWay(page, button);
    const label = button.getByText(name, { exact: true });
    const lines = await label.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getClientRects().length;
    });
    expect(lines, name).toBe(1);
  }
});

test('with large text, the course beside its lessons is not cut off', async ({ page, endpoints, user }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await signIn(page, endpoints, user);
  await enlargeText(page);
  await page.goto(`${endpoints.appOrigin}/user/courses`);
  const button = page.getByRole('link', { name: 'Continue lesson' });
  await expect(button).toBeVisible();
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll('main *')]
      .filter(
        (element) => getComputedStyle(element).overflowX === 'hidden' && element.scrollWidth > element.clientWidth,
      )
      .map((element) => element.textContent),
  );
  expect(cut).toEqual([]);
});

test('a toast does not cover the control that has the focus', async ({ page, endpoints }) => {
  await page.setViewportSize({ width: 320, height: 256 });
  await page.goto(`${getSignInUrl(endpoints)}?notification=AutoSignOut`);
  const close = page.getByRole('button', { name: 'Close' });
  await expect(close).toBeVisible();
  // A toast below the pointer stays.
  await close.hover();
  await page.getByRole('button', { name: 'Show password' }).focus();
  const focused = page.locator(':focus');
  for (const name of ['Sign in', 'Forgot password?', 'This is a shared computer']) {
    await page.keyboard.press('Tab');
    await expect(focused).toHaveAccessibleName(name);
    const [control, toast] = await Promise.all([focused.boundingBox(), close.locator('..').boundingBox()]);
    expect((control?.y ?? 0) + (control?.height ?? 0), name).toBeLessThanOrEqual(toast?.y ?? 0);
  }
});
