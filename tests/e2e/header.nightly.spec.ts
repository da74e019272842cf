import type { Locator } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { openCourses } from '../support/journeys';

/** Returns the baseline of an element's text, on which an empty inline block stands. */
const getBaseline = (locator: Locator) =>
  locator.evaluate((element) => {
    const [line, mark] = [document.createElement('span'), document.createElement('span')];
    mark.style.display = 'inline-block';
    const [text] = element.childNodes;
    text?.replaceWith(line);
    line.append(...(text ? [text] : []), mark);
    const { bottom } = mark.getBoundingClientRect();
    line.replaceWith(...(text ? [text] : []));
    return bottom;
  });

const getTop = (locator: Locator) => locator.evaluate((element) => element.getBoundingClientRect().top);

test('the header of signed-in pages is aligned on phones, and nothing in it wraps', async ({
  page,
  endpoints,
  user,
}) => {
  await openCourses(page, endpoints, user);
  const header = page.getByRole('banner');
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const [label, signOut, courses, account] = await Promise.all([
      getBaseline(header.getByText('Courses', { exact: true })),
      getBaseline(header.getByText('Sign out', { exact: true })),
      getTop(header.getByRole('link', { name: 'Courses' })),
      getTop(header.getByRole('link', { name: 'Account' })),
    ]);
    expect.soft(Math.abs(label - signOut), `${width} px: pages and "Sign out"`).toBeLessThanOrEqual(0.5);
    expect.soft(courses, `${width} px: navigation`).toBe(account);
    // The rows are directly below each other, and each is as high as a target.
    const top = await getTop(header.getByRole('link', { name: 'Campus' }));
    expect.soft(courses - top, `${width} px: rows`).toBeLessThanOrEqual(56);
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
