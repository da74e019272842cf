import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { cookieHeader, expectSignInPage, sessionStatus, openCourses } from '../support/journeys';

test('the lesson sidebar remembers whether it is open', async ({ page, context, endpoints, user }) => {
  await openCourses(page, endpoints, user);
  const sidebar = page.getByRole('complementary', { name: 'Lessons' });
  await page.getByRole('button', { name: 'Hide lessons' }).click();
  await expect(sidebar).toBeHidden();
  const cookie = (await context.cookies()).find(({ name }) => name === 'lesson-sidebar-hidden');
  expect(cookie).toMatchObject({ value: '1', secure: true, sameSite: 'Lax', path: '/' });

  // The HTML also shows it before any script runs.
  const html = await (await context.request.get(`${endpoints.appOrigin}/user/courses`)).text();
  expect(html).toMatch(/<aside id="lessons"[^>]* hidden=""/);
  await page.reload();
  await expect(sidebar).toBeHidden();
  const show = page.getByRole('button', { name: 'Show lessons' });
  await expect(show).toHaveAttribute('aria-expanded', 'false');
  await show.click();
  await expect(sidebar).toBeVisible();
  await page.reload();
  await expect(sidebar).toBeVisible();
});

test('an ended session leads to sign-in with a notice', async ({ page, endpoints, user, accounts }) => {
  await openCourses(page, endpoints, user);
  const cookie = await cookieHeader(page.context(), endpoints);
  await accounts.disable(user);
  await expect.poll(() => sessionStatus(endpoints, cookie), { timeout: 60_000 }).toBe(401);
  await page.goto(`${endpoints.appOrigin}/user/courses`);
  await expectSignInPage(page, endpoints);
  await expect(page.getByText("You've been signed out. Sign in to continue.")).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`no accessibility violation: ${colorScheme}`, async ({ page, endpoints, user }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await openCourses(page, endpoints, user);
    await expectNoViolations(page);
    await page.setViewportSize({ width: 320, height: 700 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });

test('a visitor signs in first, and returns to their courses', async ({ page, endpoints, user }) => {
  await openCourses(page, endpoints, user);
  await expect(page.getByText(user.name)).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'Progress in Statistics without fear' })).toHaveAttribute(
    'value',
    '3',
  );
  const lessons = page.getByRole('complementary', { name: 'Lessons' }).getByRole('listitem');
  await expect(lessons).toHaveCount(8);
  await expect(lessons.nth(3)).toContainText('Lab');
  await expect(lessons.nth(3)).toContainText('In progress');
  await page.getByRole('link', { name: 'Continue lesson' }).click();
  await expect(page).toHaveURL(/\/user\/courses\/statistics-without-fear\?lesson=shape-of-a-sample$/);
  expect(page.url().startsWith(endpoints.platformOrigin)).toBe(true);
});

test('another course is selected by keyboard, and the first again', async ({ page, endpoints, user }) => {
  await openCourses(page, endpoints, user);
  await page.getByRole('link', { name: 'The night sky' }).press('Enter');
  await expect(page).toHaveURL(`${endpoints.appOrigin}/user/courses?course=the-night-sky`);
  await expect(page.getByRole('heading', { name: 'The night sky' })).toBeFocused();
  await expect(page.getByText("You've finished this course.")).toBeVisible();
  await page.reload();
  await expect(page.getByText("You've finished this course.")).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('link', { name: 'Continue lesson' })).toBeVisible();
});
