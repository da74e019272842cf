import { expect, test } from '../support/fixtures';
import { EVERY_FORM } from '../support/every-form';
import { KEYBOARDS, compose, writeWith } from '../support/keyboards';
import { translatePage, type TranslationMoment } from '../support/translation';

const MOMENTS: TranslationMoment[] = ['early', 'late'];

for (const { name, walk } of EVERY_FORM)
  for (const moment of MOMENTS)
    test(`${name}: on a page that was translated ${moment}`, async ({ page, browser, endpoints, user, accounts }) => {
      // In the same words, as where a browser finds nothing to translate.
      await page.addInitScript(translatePage, { moment, marks: [] as [] });
      const type = async (field: Parameters<typeof compose>[0], text: string) => field.fill(text);
      await walk({ page, browser, endpoints, user, accounts, type });
      await expect(page.getByText('Something went wrong')).toHaveCount(0);
      if (page.url().startsWith(endpoints.appOrigin))
        expect(await page.locator('main font').count()).toBeGreaterThan(0);
    });

for (const { name, walk, takesCode } of EVERY_FORM)
  if (takesCode)
    for (const keyboard of KEYBOARDS)
      test(`${name}: with the ${keyboard} keyboard`, async ({ page, browser, endpoints, user, accounts }) => {
        const type = (field: Parameters<typeof compose>[0], text: string) => field.fill(writeWith(keyboard, text));
        await walk({ page, browser, endpoints, user, accounts, type });
      });

for (const { name, walk } of EVERY_FORM)
  test(`${name}: by an input method`, async ({ page, browser, endpoints, user, accounts }) => {
    const type = async (field: Parameters<typeof compose>[0], text: string) => {
      await field.fill('');
      await compose(field, writeWith('full-width', text));
    };
    await walk({ page, browser, endpoints, user, accounts, type });
  });
