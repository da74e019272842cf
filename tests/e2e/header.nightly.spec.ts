import type { Locator } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { openCourses } from '../support/journeys';

/** Where the text of an element is, vertically. */
const getMiddle = (locator: Locator) =>
  locator.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const { top, bottom } = range.getBoundingClientRect();
    return (top + bottom) / 2;
  });

test('the header of signed-in pages is aligned on phones, and nothing in it wraps', async ({
  page,
  endpoints,
  user,
}) => {
  await openCourses(page, endpoints, user);
  const header = page.getByRole('banner');
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const [brand, signOut, courses, security] = await Promise.all([
      getMiddle(header.getByText('Campus', { exact: true })),
      getMiddle(header.getByText('Sign out', { exact: true })),
      getMiddle(header.getByRole('link', { name: 'Courses' })),
      getMiddle(header.getByRole('link', { name: 'Security' })),
    ]);
    expect.soft(Math.abs(brand - signOut), `${width} px: brand and "Sign out"`).toBeLessThanOrEqual(2);
    expect.soft(courses, `${width} px: navigation`).toBe(security);
    // One row below the other, each as high as a target.
    expect.soft(courses - brand, `${width} px: rows`).toBeLessThanOrEqual(56);
    const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
    const link = await header.getByText('Courses', { exact: true }).evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getBoundingClientRect().left;
    });
    expect.soft(link, `${width} px: left edge`).toBe(heading?.x);
    expect.soft(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
});
