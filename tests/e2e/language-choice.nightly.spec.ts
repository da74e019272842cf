import type { Page } from '@playwright/test';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { getDashboardUrl, holdScripts, pageReady, signInByApi } from '../support/journeys';
import { mailsBesidesAlerts } from '../support/mail';
import { showWay } from '../support/sign-in-ways';

const LOCALES = ['en', 'es', 'pt-BR', 'fr', 'de', 'ar', 'ja'];

test.use({ locales: LOCALES.join(',') });
// The tests run in one worker, because each worker would start its own app.
test.describe.configure({ mode: 'default' });

const getSwitch = (page: Page) => page.locator('header select:has([lang])');
const expectLanguage = async (page: Page, lang: string, dir = 'ltr') => {
  await expect(page.locator('html')).toHaveAttribute('lang', lang);
  await expect(page.locator('html')).toHaveAttribute('dir', dir);
};

test.describe('a browser set to German', () => {
  test.use({ locale: 'de-CH' });

  test('gets German, and keeps what was typed when the learner chooses Arabic', async ({ page, endpoints }) => {
    await page.goto(`${endpoints.appOrigin}/sign-in?utm_source=x`);
    await pageReady(page);
    await expectLanguage(page, 'de');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Anmelden');
    await expect(page).toHaveTitle('Anmelden | Campus');
    await page.getByLabel('E-Mail-Adresse').fill('mia@campus.test');
    await expect(getSwitch(page).locator('option')).toHaveText([
      'English',
      'Español',
      'Português (Brasil)',
      'Français',
      'Deutsch',
      'العربية',
      '日本語',
    ]);
    // The keyboard and a press focus the switch, but the command below does not.
    await getSwitch(page).focus();
    await getSwitch(page).selectOption('ar');
    await expectLanguage(page, 'ar', 'rtl');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('تسجيل الدخول');
    await expect(page.getByLabel('البريد الإلكتروني')).toHaveValue('mia@campus.test');
    await expect(getSwitch(page)).toBeFocused();
    expect(new URL(page.url()).search).not.toContain('lang');
    await expectNoViolations(page);
    await page.getByRole('link', { name: 'هل نسيت كلمة المرور؟' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('هل نسيت كلمة المرور؟');
    await page.reload();
    await expectLanguage(page, 'ar', 'rtl');
  });
});

test('what another tab chose is the language of the next page, for its direction and for screen readers', async ({
  page,
  context,
  endpoints,
}) => {
  await page.goto(`${endpoints.appOrigin}/sign-in`);
  await pageReady(page);
  const other = await context.newPage();
  await other.goto(`${endpoints.appOrigin}/sign-in?lang=ar`);
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('هل نسيت كلمة المرور؟');
  await expectLanguage(page, 'ar', 'rtl');
});

test('a language that is chosen before hydration is shown after it', async ({ page, endpoints }) => {
  const release = await holdScripts(page);
  await page.goto(`${endpoints.appOrigin}/sign-in`, { waitUntil: 'commit' });
  await getSwitch(page).selectOption('de');
  release();
  await expectLanguage(page, 'de');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Anmelden');
  await page.unrouteAll({ behavior: 'wait' });
});

test('a link in French: its pages, its email, and what the platform can read', async ({
  page,
  context,
  endpoints,
  user,
}) => {
  await page.goto(`${endpoints.appOrigin}/forget-password?lang=fr`);
  await pageReady(page);
  await expectLanguage(page, 'fr');
  const cookies = await context.cookies(getDashboardUrl(endpoints));
  expect(cookies.find(({ name }) => name === 'lang')?.value).toBe('fr');
  await page.getByLabel(/^Adresse/).fill(user.email);
  await page.getByRole('button', { name: 'Envoyer le code' }).click();
  const [mail] = await mailsBesidesAlerts(endpoints, user.email);
  expect(mail?.subject).toMatch(/^[\dA-Z]{6} est votre code Campus de réinitialisation$/);
  expect(mail?.html).toContain('<html lang="fr" dir="ltr">');
});

test('a page that needs a session keeps the language on the way to sign-in', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/security?ui_locales=ko%20ja&part=devices`);
  await pageReady(page);
  await expectLanguage(page, 'ja');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('ログイン');
});

test('an account keeps its language in a browser that has chosen none', async ({
  page,
  context,
  endpoints,
  accounts,
  user,
}) => {
  await signInByApi(page, endpoints, await accounts.idToken(user));
  await page.goto(`${endpoints.appOrigin}/security?lang=es`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Cuenta y seguridad');
  await context.clearCookies({ name: 'lang' });
  await page.goto(`${endpoints.appOrigin}/security`);
  await expectLanguage(page, 'es');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Cuenta y seguridad');
});

test('a path without a page answers in the language of the visitor', async ({ page, endpoints }) => {
  const answer = await page.goto(`${endpoints.appOrigin}/no-such-page?lang=ar`);
  expect(answer?.status()).toBe(404);
  await pageReady(page);
  await expectLanguage(page, 'ar', 'rtl');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('الصفحة غير موجودة');
  await expectNoViolations(page);
});

test("a provider's pages are asked for in the language of the page", async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/sign-in?lang=ja`);
  await pageReady(page);
  const button = page.getByRole('button', { name: 'Google' });
  await showWay(page, button);
  const [opened] = await Promise.all([page.waitForEvent('popup'), button.click()]);
  await opened.waitForURL(/customParameters/);
  expect(new URL(opened.url()).searchParams.get('customParameters')).toBe('{"hl":"ja"}');
});

/**
 * Scripts and style are the same in every language. The texts are in the first response, and German has the longest.
 */
test('/sign-in stays within its size in every language', async ({ browser, endpoints }) => {
  const [{ BUDGETS }, { fetchFirstAnswer }, { visit }] = await Promise.all([
    import('../../bench/budgets.mjs'),
    import('../../bench/lib/first-answer.mjs'),
    import('../../bench/lib/slow-phone.mjs'),
  ]);
  const getAddress = (lang: string) => `${endpoints.appOrigin}/sign-in?lang=${lang}`;
  const { usableJs, idleJs, css } = await visit(browser, getAddress('de'), { slow: false });
  expect(usableJs).toBeLessThanOrEqual(BUDGETS.page.usableJs);
  expect(idleJs).toBeLessThanOrEqual(BUDGETS.page.idleJs);
  expect(css).toBeLessThanOrEqual(BUDGETS.page.css);
  for (const lang of LOCALES)
    expect(await fetchFirstAnswer(getAddress(lang)), lang).toBeLessThanOrEqual(BUDGETS.page.firstAnswer);
});
