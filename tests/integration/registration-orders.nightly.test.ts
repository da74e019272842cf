// Threats: pre-hijacking, foreign-confirmation
// Everything that can happen between a registration and its proof, in every order (docs/adr/0055).
import { expect, inject, test } from 'vitest';
import { readStoredByEmail } from '@/lib/server/identity/admin';
import { callProvider } from '../support/accounts-client';
import { CookieJar, type Answer } from '../support/client';
import { codeIn } from '../support/mail';
import { oobCodeIn } from '../support/recovery';
import { Registration } from '../support/registration';
import { fetchGoogleIdToken, fetchIdToken } from '../support/test-users';

const registration = new Registration();
const post = (by: CookieJar, path: string, body: object) => by.post(`${registration.app.origin}/api/${path}`, body);

/** Passwords by who has chosen them. The two registrants may be the owner's two browsers, or the owner and a stranger. */
const PASSWORDS = {
  first: 'first-lantern-41',
  second: 'second-lantern-42',
  elsewhere: 'elsewhere-lantern-43',
  stranger: 'correct-horse-7',
};
type Chosen = keyof typeof PASSWORDS;

/** Two browsers have registered one email, and its mailbox has both emails. */
async function registerTwice() {
  const { email } = registration;
  const browsers = { first: new CookieJar(), second: new CookieJar() };
  const codes: string[] = [];
  const links: string[] = [];
  for (const [count, by] of (['first', 'second'] as const).entries()) {
    expect((await registration.register({ password: PASSWORDS[by] }, browsers[by])).status).toBe(200);
    const mail = (await registration.mails(count + 1)).at(-1);
    codes.push(codeIn(mail ?? { text: '' }));
    links.push(mail ? oobCodeIn(mail) : '');
  }
  const confirm = (by: 'first' | 'second') =>
    post(browsers[by], 'registration/confirm', { code: codes[by === 'first' ? 0 : 1] });
  const open = (by: CookieJar, password?: string) => post(by, 'actions/verify-email', { code: links[0], password });
  const tokens: string[] = [];
  return {
    tokens,
    steps: {
      'first code': () => confirm('first'),
      'second code': () => confirm('second'),
      'first link': () => open(browsers.first),
      'link elsewhere': () => open(new CookieJar(), PASSWORDS.elsewhere),
      // Past the app, as anyone can who has the web API key.
      'sign-up by a stranger': async () => {
        const account = { email, password: PASSWORDS.stranger, returnSecureToken: true };
        const { body } = await callProvider({ emulatorHost: inject('emulatorHost') }, 'accounts:signUp', account);
        if (typeof body.idToken === 'string') tokens.push(body.idToken);
        return null;
      },
      'sign-in by a provider': async () => {
        await fetchGoogleIdToken(email, true);
        return null;
      },
    } satisfies Record<string, () => Promise<Answer | null>>,
  };
}

type Step = keyof Awaited<ReturnType<typeof registerTwice>>['steps'];
/** The password that the account has if the step is the first proof. */
const PROVES: Partial<Record<Step, Chosen>> = {
  'first code': 'first',
  'first link': 'first',
  'second code': 'second',
  'link elsewhere': 'elsewhere',
};
const STEPS = Object.keys({
  'first code': 0,
  'second code': 0,
  'first link': 0,
  'link elsewhere': 0,
  'sign-up by a stranger': 0,
  'sign-in by a provider': 0,
} satisfies Record<Step, 0>) as Step[];
const orders = STEPS.flatMap((one) =>
  STEPS.filter((step) => step !== one).flatMap((two) =>
    STEPS.filter((step) => step !== one && step !== two).map((three) => [one, two, three] as const),
  ),
);

test.each(orders.map((order) => [order.join(', then '), order] as const))('%s', async (_, order) => {
  const { steps, tokens } = await registerTwice();
  const { email } = registration;
  expect(await readStoredByEmail(email)).toBeNull();
  const answers: (Answer | null)[] = [];
  for (const step of order) answers.push(await steps[step]());

  // Each step that proves the mailbox signs in or confirms, or says that there is an account.
  for (const [at, answer] of answers.entries())
    if (answer !== null)
      expect([order[at], answer.status, answer.body?.code]).toEqual(
        answer.status === 200
          ? [order[at], 200, undefined]
          : [order[at], answer.status, answer.status === 409 ? 'email-taken' : 'action-code-invalid'],
      );

  // The first proof decides: its password works, and no other one.
  const first = order.find((step) => step in PROVES || step === 'sign-in by a provider');
  const winner = first === undefined ? undefined : PROVES[first];
  const working: string[] = [];
  for (const [chosen, password] of Object.entries(PASSWORDS))
    if (
      await fetchIdToken({ email, password }).then(
        () => true,
        () => false,
      )
    )
      working.push(chosen);
  if (winner !== undefined) expect(working).toEqual([winner]);
  else expect(working.filter((chosen) => chosen !== 'stranger')).toEqual([]);

  const account = await readStoredByEmail(email);
  expect(account?.emailVerified).toBe(true);
  // A token from before the proof opens no session.
  if (winner !== undefined)
    for (const token of tokens)
      expect((await post(new CookieJar(), 'create-user-session', { token })).status).not.toBe(200);
});
