import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { EVERY_FORM, settleAlways } from '../support/every-form';
import { holdScripts, pageReady } from '../support/journeys';
import { KEYBOARDS, compose, writeWith } from '../support/keyboards';
import { translatePage, type TranslationMoment } from '../support/translation';

const MOMENTS: TranslationMoment[] = ['early', 'late'];
/** These marks change the texts, but tests still find them, because Playwright ignores invisible characters. */
const MARKS: [string, string] = ['\u200b', '\u200b'];

// React logs this error when it renders the page again.
test.use({ expectedErrors: /Minified React error #418/ });

for (const { name, walk } of EVERY_FORM)
  for (const moment of MOMENTS)
    test(`${name}: on a page that was translated ${moment}`, async ({ page, browser, endpoints, user, accounts }) => {
      settleAlways(page, endpoints);
      await page.addInitScript(translatePage, { moment, marks: MARKS });
      const type = async (field: Parameters<typeof compose>[0], text: string) => field.fill(text);
      await walk({ page, browser, endpoints, user, accounts, type });
      await expect(page.getByText('Something went wrong')).toHaveCount(0);
      if (page.url().startsWith(endpoints.appOrigin)) await expect(page.locator('main font').first()).toBeAttached();
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

/** Adds elements before the page's scripts run, as password managers and writing aids do. */
const putHelpers = () => {
  const put = () => {
    for (const input of document.querySelectorAll('form input')) {
      input.before(document.createElement('writing-aid'));
      input.after(Object.assign(document.createElement('div'), { innerHTML: '<button type="button">🔑</button>' }));
    }
  };
  document.addEventListener('readystatechange', put, { once: true });
};

const CHANGES: Record<string, (page: Page) => Promise<unknown>> = {
  'that was translated': (page) =>
    page.addInitScript(translatePage, { moment: 'early' as TranslationMoment, marks: MARKS }),
  'with the elements of an extension beside each field': (page) => page.addInitScript(putHelpers),
};

const SERVED = ['/sign-in', '/sign-in/with-email-link', '/sign-in/enterprise', '/registration', '/forget-password'];

for (const path of SERVED)
  for (const [what, change] of Object.entries(CHANGES))
    test(`${path}: what is typed before the scripts run stays on a page ${what}`, async ({ page, endpoints }) => {
      await change(page);
      const release = await holdScripts(page);
      await page.goto(endpoints.appOrigin + path, { waitUntil: 'commit' });
      const fields = page.locator('form input:is([type=text], [type=email], [type=password]):visible');
      await expect(fields.first()).toBeVisible();
      const all = await fields.all();
      for (const [at, field] of all.entries()) await field.fill(`typed-${String(at)}@campus.test`);
      release();
      await pageReady(page);
      for (const [at, field] of all.entries()) await expect(field).toHaveValue(`typed-${String(at)}@campus.test`);
    });
