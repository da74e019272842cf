import { expect, test } from '../support/fixtures';
import { openCourses } from '../support/journeys';

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
