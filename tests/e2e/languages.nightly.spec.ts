import { expect, test } from '../support/fixtures';
import { signInByApi } from '../support/journeys';

/**
 * A right-to-left language with two bytes per character, the language with the longest texts, and the language with the
 * longest words.
 */
const LANGUAGES = ['ar', 'fr', 'de'];

test.use({ locales: ['en', ...LANGUAGES].join(',') });

const load = () =>
  Promise.all([
    import('../../bench/budgets.mjs'),
    import('../../bench/lib/first-answer.mjs'),
    import('../../bench/lib/slow-phone.mjs'),
  ]);

for (const lang of LANGUAGES) {
  for (const path of ['/registration', '/forget-password'])
    test(`${path} in ${lang} stays within its size`, async ({ browser, endpoints }) => {
      const [{ BUDGETS }, { fetchFirstAnswer }, { visit }] = await load();
      const address = `${endpoints.appOrigin}${path}?lang=${lang}`;
      const { usableJs, idleJs, css } = await visit(browser, address, { slow: false });
      expect(usableJs).toBeGreaterThan(100_000);
      expect(usableJs).toBeLessThanOrEqual(BUDGETS.page.usableJs);
      expect(idleJs).toBeLessThanOrEqual(BUDGETS.page.idleJs);
      expect(css).toBeLessThanOrEqual(BUDGETS.page.css);
      expect(await fetchFirstAnswer(address)).toBeLessThanOrEqual(BUDGETS.page.firstAnswer);
    });

  test(`/security in ${lang} stays within its size`, async ({ browser, page, endpoints, user, accounts }) => {
    const [{ BUDGETS }, , { visit }] = await load();
    await signInByApi(page, endpoints, await accounts.idToken(user));
    const cookies = await page.context().cookies();
    const sizes = await visit(browser, `${endpoints.appOrigin}/security?lang=${lang}`, { slow: false, cookies });
    expect(sizes.usableJs).toBeGreaterThan(100_000);
    expect(sizes.usableJs).toBeLessThanOrEqual(BUDGETS.account.usableJs);
    expect(sizes.idleJs).toBeLessThanOrEqual(BUDGETS.account.idleJs);
    expect(sizes.css).toBeLessThanOrEqual(BUDGETS.account.css);
  });
}
