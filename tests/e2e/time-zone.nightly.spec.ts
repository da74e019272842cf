import { expect, test } from '../support/fixtures';
import { signIn } from '../support/journeys';

/** These two zones are 26 hours apart, so they always have different dates. */
const ZONES = ['Pacific/Kiritimati', 'Etc/GMT+12'];

const dayIn = (timeZone: string, time: number) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone }).format(time);

for (const timezoneId of ZONES) {
  test.describe(`in ${timezoneId}`, () => {
    test.use({ timezoneId });

    test('the last sign-in is shown in the local time zone', async ({ page, endpoints, user }) => {
      const before = Date.now();
      await signIn(page, endpoints, user);
      const days = (zone: string) => [dayIn(zone, before), dayIn(zone, Date.now())];
      const here = days(timezoneId);
      const inUtc = days('UTC');
      await page.goto(`${endpoints.appOrigin}/security`);
      await expect(page.getByText(/^Last sign-in: /)).toHaveText(new RegExp(`^Last sign-in: (${here.join('|')})\\.$`));
      const html = await (await page.request.get(`${endpoints.appOrigin}/security`)).text();
      expect(inUtc).toContain(/Last sign-in: ([^.]+)\./.exec(html)?.[1]);
    });
  });
}
