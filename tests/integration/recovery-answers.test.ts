// Threats: enumeration
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { CookieJar, maskFlow, type Answer } from '../support/client';
import { fetchGoogleIdToken, createTestUser, fetchOrganizationIdToken } from '../support/test-users';
import { NEW_PASSWORD, Recovery } from '../support/recovery';

const recovery = new Recovery();

describe('a response', () => {
  const unknown = () => `${randomUUID()}@campus.test`;
  const shape = (answer: Answer) => {
    const { status, headers, body, cookies } = maskFlow(answer);
    return {
      status,
      body,
      // The end of a rate limit depends on the time of the client's first request.
      headers: [...headers].map(([name, value]) =>
        /^(date|set-cookie|retry-after|x-request-id)$/.test(name) ? name : [name, value],
      ),
      cookies: Object.values(cookies).map((cookie) => ({ ...cookie, value: cookie.value?.length })),
    };
  };

  test('is the same for known and unknown emails, up to the limit and beyond', async () => {
    const googleOnly = unknown();
    await fetchGoogleIdToken(googleOnly, true);
    const closed = await createTestUser();
    await getIdentityAdmin().updateUser(closed.uid, { disabled: true });
    for (let count = 0; count < 6; count += 1) {
      const answers = [];
      // All emails have the same length, because the size of the sealed token depends on it.
      for (const email of [recovery.user.email, recovery.user.email.replace(/^./, 'z'), googleOnly, closed.email])
        answers.push(shape(await recovery.ask(email, new CookieJar())));
      expect(answers.slice(1)).toEqual([answers[0], answers[0], answers[0]]);
      expect(answers[0]?.status).toBe(count < 5 ? 200 : 429);
    }
  });

  test('is the same in a browser that retries with an open token', async () => {
    const asks = async (email: string) => {
      const by = new CookieJar();
      const answers = [];
      for (let count = 0; count < 6; count += 1) answers.push(shape(await recovery.ask(email, by)));
      return answers;
    };
    const [known, free] = [await asks(recovery.user.email), await asks(unknown())];
    expect(free).toEqual(known);
    expect(known.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test('is the same when codes are tried', async () => {
    const tries = async (email: string) => {
      const by = new CookieJar();
      await recovery.ask(email, by);
      const answers = [];
      for (let count = 0; count < 6; count += 1) answers.push(shape(await recovery.reset('ABCDEF', NEW_PASSWORD, by)));
      return answers;
    };
    expect(await tries(unknown())).toEqual(await tries(recovery.user.email));
  });

  test.each([
    ['no account', unknown, "There's no Campus account for this email address"],
    ['a closed account', closedAddress, 'Your Campus account is closed'],
    ['an account without a password', googleAddress, 'How you sign in to Campus'],
  ])('is followed by a helpful email: %s', async (_what, address, subject) => {
    const email = await address();
    await recovery.ask(email);
    expect((await recovery.lastMail(1, email)).subject).toBe(subject);
  });

  async function closedAddress(): Promise<string> {
    const closed = await createTestUser();
    await getIdentityAdmin().updateUser(closed.uid, { disabled: true });
    return closed.email;
  }

  async function googleAddress(): Promise<string> {
    const email = unknown();
    await fetchGoogleIdToken(email, true);
    return email;
  }
});

describe('sign-in help', () => {
  const help = (email: string) => recovery.jar.post(`${recovery.app.origin}/api/sign-in-help`, { email });

  test('is sent by email only', async () => {
    const answers = [await help(recovery.user.email), await help(`${randomUUID()}@campus.test`)];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(2).fill([200, { resendAfter: 30 }]));
    const mail = await recovery.lastMail();
    expect(mail.subject).toBe('How you sign in to Campus');
    expect(mail.text).toContain('Email and password');
  });

  test('links to the partner of the account', async () => {
    const email = `${randomUUID()}@partner.test`;
    await fetchOrganizationIdToken('oidc.acme', email);
    expect((await help(email)).status).toBe(200);
    const { text } = await recovery.lastMail(1, email);
    expect(text).toContain(`Continue with Acme:\n${recovery.app.origin}/partner-auth/initiate?partner=acme\n`);
  });

  test('does not name a disabled partner', async () => {
    const email = `${randomUUID()}@partner.test`;
    await fetchOrganizationIdToken('oidc.closed', email);
    expect((await help(email)).status).toBe(200);
    const { text } = await recovery.lastMail(1, email);
    expect(text).toContain('no longer connected');
    expect(text).not.toMatch(/oidc\.closed|Continue with/);
  });
});
