// Threats: name-injection
import { expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { linksIn, type Mail } from '../../support/mail';

const attack = attackTools();
const { at, browser, freshEmail, mails, accounts } = attack;
const ADVERTISEMENT = 'You have won 500 EUR, collect at evil.example';
const password = 'quiet-lantern-42';

/** Expects exactly one email to an address, without any text of the attacker and with links to the app only. */
async function expectCleanMail(to: string): Promise<Mail> {
  const [mail, ...more] = await mails(to);
  if (!mail || more.length > 0) throw new Error(`Not one email: ${String(more.length + 1)}`);
  for (const text of [mail.subject, mail.text, mail.html, mail.from[0]?.name ?? ''])
    expect(text).not.toMatch(/you have won|500 EUR|evil\./i);
  expect(linksIn(mail).map((link) => new URL(link).origin)).toEqual(linksIn(mail).map(() => at('')));
  return mail;
}

/** Registers a victim's email directly at the provider under an advertising name. @returns the ID token */
async function signUpAs(victim: string, displayName: string): Promise<string> {
  const { body } = await attack.provider('accounts:signUp', { email: victim, password, displayName });
  return String(body.idToken);
}

test('a sign-in link that an attacker requests for a victim contains no name', async () => {
  const victim = freshEmail();
  await signUpAs(victim, ADVERTISEMENT);
  expect((await browser().post(at('/api/email-link'), { email: victim })).status).toBe(200);
  expect((await expectCleanMail(victim)).text).not.toMatch(/Welcome,/);
});

test('nor does a code that the attacker requests', async () => {
  const victim = freshEmail();
  const token = await signUpAs(victim, ADVERTISEMENT);
  expect((await browser().post(at('/api/email-confirmation'), { token })).status).toBe(200);
  await expectCleanMail(victim);
});

test.each([
  'evil.com/x1',
  'evil。com',
  'evil[.]com',
  'ｅｖｉｌ．ｃｏｍ',
  'Visit evil.example',
  'a@evil.example',
  'evil .com',
])('registration refuses the name: %s', async (name) => {
  const email = freshEmail();
  const answer = await browser().post(at('/api/registration'), { name, email, password });
  expect([answer.status, answer.body?.code]).toEqual([400, 'bad-request']);
  expect(await accounts.exists(email)).toBe(false);
});

test('the confirmation email does not contain the name of the registration', async () => {
  const victim = freshEmail();
  const values = { name: 'You have won 500 EUR', email: victim, password };
  const stranger = browser();
  expect((await stranger.post(at('/api/registration'), values)).status).toBe(200);
  const mail = await expectCleanMail(victim);
  expect(mail.html).not.toContain(values.name);
});

test.each(['J. R. Smith', 'Dr. Smith', "O'Neil", 'Anne-Marie', 'St. John', 'José María'])(
  'ordinary names are accepted: %s',
  async (name) => {
    expect((await browser().post(at('/api/registration'), { name, email: freshEmail(), password })).status).toBe(200);
  },
);
