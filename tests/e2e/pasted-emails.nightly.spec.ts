import { expect, test } from '../support/fixtures';
import { freshEmail } from '../support/account-journeys';
import { pageReady } from '../support/journeys';

/** Every form with an email field that can be edited, and its submit button. */
const FORMS = [
  ['/sign-in', 'Sign in'],
  ['/sign-in/with-email-link', 'Email me a sign-in link'],
  ['/sign-in/enterprise', 'Continue with SSO'],
  ['/registration', 'Create account'],
  ['/forget-password', 'Send reset code'],
] as const;

const PASTED: ((email: string) => string)[] = [
  (email) => `\u200bLena Moreau <mailto:${email.replace('@', '\uff20')}>\ufeff`,
  (email) => ` ${email.replace('.', '\uff0e')}.;`,
];

for (const [path, button] of FORMS) {
  test(`${path} sends a pasted address as it is meant, and names what is wrong`, async ({ page, endpoints }) => {
    const email = page.getByLabel('Email', { exact: true });
    const submit = page.getByRole('button', { name: button, exact: true });
    const open = async () => {
      await page.goto(`${endpoints.appOrigin}${path}`);
      await pageReady(page);
      if (path === '/registration') await page.getByLabel('Name', { exact: true }).fill('Lena Moreau');
      if (path === '/registration' || path === '/sign-in')
        await page.getByLabel('Password', { exact: true }).fill('quiet-lantern-42');
    };
    for (const paste of PASTED) {
      await open();
      const meant = freshEmail();
      await email.fill(paste(meant));
      const sent = page.waitForRequest((request) => request.postData()?.includes('"email"') === true);
      await submit.click();
      expect((await sent).postDataJSON()).toMatchObject({ email: meant });
    }
    await open();
    for (const wrong of ['lena', 'lena@nowhere', 'lena@@nowhere.test', 'lena@nowhere..test']) {
      await email.fill(wrong);
      await submit.click();
      await expect(page.getByText('Enter an email address like name@example.com.')).toBeVisible();
      await expect(email).toBeFocused();
    }
  });
}
