import { expect } from '@playwright/test';
import { Redis } from 'ioredis';
import { beginSignIn, codeFrom, exchangeCode } from '../../examples/mobile/client.mjs';
import { freshEmail, NEW_PASSWORD } from './account-journeys';
import { tokenBy, type TestUser } from './accounts-client';
import { nextSecond, read, type Answer, type CookieJar } from './client';
import type { Deployment } from './deployment';
import type { Build } from './other-build';
import { readCode, scheduleFactorReset } from './factor-reset-journeys';
import { codeIn, linksIn, mailsTo, readMailbox, type Mail } from './mail';
import { Navigator } from './navigator';
import { LIBRARIES } from './relying-party-site';
import { scheduleDeletion } from './scheduled-deletion';
import { enrolApp } from './second-factor';
import { SoftwareAuthenticator } from './software-authenticator';
import { SoftwareApp } from './totp';

/** Begins work in one build. @returns a function that finishes it in another build */
type Leave = (deployment: Deployment, build: Build) => Promise<() => Promise<void>>;

/** Returns the deployment's API as endpoints for the helpers of the shared stack. */
const toEndpoints = ({ shared, origin }: Deployment) => ({ ...shared, appOrigin: origin });

async function succeed({ call }: Deployment, browser: CookieJar, to: string, body: object = {}) {
  const answer = await call(browser, to, body);
  expect([to, answer.status, answer.body?.code]).toEqual([to, 200, undefined]);
  return answer.body ?? {};
}

async function signIn(deployment: Deployment, user?: TestUser, browser = deployment.newBrowser()) {
  const someone = user ?? (await deployment.accounts.create());
  await succeed(deployment, browser, 'create-user-session', { token: await deployment.accounts.idToken(someone) });
  return { user: someone, browser };
}

/** Returns the first email with such a subject. */
async function readMail({ shared }: Deployment, email: string, subject: RegExp): Promise<Mail> {
  const find = async () => (await readMailbox(shared, email)).find((mail) => subject.test(mail.subject));
  await expect.poll(find, `the email ${String(subject)}`).toBeDefined();
  return (await find()) as Mail;
}

const getLinkCode = (mail: Mail) => new URL(linksIn(mail)[0] ?? '').searchParams.get('oobCode') ?? '';

const newAccount = (email: string) => ({ name: 'Mia Moreau', email, password: NEW_PASSWORD });

/**
 * In the release before this one, an account begins at another step (docs/adr/0055). So a registration that crosses an
 * upgrade may be refused like an expired one. Its learner registers again.
 */
async function completeOrRegisterAgain(
  deployment: Deployment,
  email: string,
  complete: (() => Promise<Answer>) | null,
) {
  const answer = await complete?.();
  if (answer?.status === 200) return answer.body;
  if (answer) expect(['code-expired', 'action-code-invalid']).toContain(answer.body?.code);
  const browser = deployment.newBrowser();
  const count = (await readMailbox(deployment.shared, email)).length;
  await succeed(deployment, browser, 'registration', newAccount(email));
  const mail = (await mailsTo(deployment.shared, email, count + 1)).at(-1) ?? { text: '' };
  return succeed(deployment, browser, 'registration/confirm', { code: codeIn(mail) });
}

const signInByToken = async (deployment: Deployment, browser: CookieJar, customToken: unknown) => {
  const token = await tokenBy(deployment.shared, 'signInWithCustomToken', { token: customToken });
  await succeed(deployment, browser, 'create-user-session', { token });
};

/** Lets time pass until the scheduled change has happened. */
async function letDaysPass({ query }: Deployment, table: string, uid: string, hasHappened: () => Promise<boolean>) {
  const times = ['requested_at', 'effective_at', 'reminded_at', 'due_at'];
  const more = table === 'deletions' ? ['signed_out_at'] : ['warned_at'];
  const back = (names: string[]) => names.map((name) => `${name} = ${name} - interval '12 hours'`).join(', ');
  await expect
    .poll(async () => {
      await query(`update ${table} set ${back([...times, ...more])} where uid = '${uid}'`);
      await query(`update notices set ${back(['created_at', 'due_at', 'sent_at'])} where uid = '${uid}'`);
      return hasHappened();
    })
    .toBe(true);
}

/** Everything that a release can leave to the next release, except its queues. */
export const WORK: Record<string, Leave> = {
  'a session, with its browser': async (deployment) => {
    const { user, browser } = await signIn(deployment);
    await readMail(deployment, user.email, /^New sign-in/);
    return async () => {
      expect(await succeed(deployment, browser, 'check-auth-status')).toMatchObject({ uid: user.uid });
      await succeed(deployment, browser, 'renew-user-session');
      await signIn(deployment, user, browser);
      // The browser is known, so no other email is about it.
      const later = await signIn(deployment, user);
      await expect.poll(async () => (await readMailbox(deployment.shared, user.email)).length).toBe(2);
      await succeed(deployment, later.browser, 'initiate-logout');
      expect((await deployment.call(later.browser, 'check-auth-status')).status).toBe(401);
      expect((await deployment.call(browser, 'check-auth-status')).status).toBe(200);
    };
  },
  'a session that was ended': async (deployment) => {
    const { browser } = await signIn(deployment);
    const copy = browser.copy();
    await succeed(deployment, browser, 'initiate-logout');
    return async () => expect((await deployment.call(copy, 'check-auth-status')).status).toBe(401);
  },
  'the code of a registration': async (deployment) => {
    const [email, browser] = [freshEmail(), deployment.newBrowser()];
    await succeed(deployment, browser, 'registration', newAccount(email));
    const [mail = { text: '' }] = await mailsTo(deployment.shared, email);
    return async () => {
      const confirm = () => deployment.call(browser, 'registration/confirm', { code: codeIn(mail) });
      const confirmed = await completeOrRegisterAgain(deployment, email, confirm);
      await signInByToken(deployment, deployment.newBrowser(), confirmed?.customToken);
    };
  },
  'the link of a registration, in another browser': async (deployment) => {
    const email = freshEmail();
    await succeed(deployment, deployment.newBrowser(), 'registration', newAccount(email));
    const [mail] = await mailsTo(deployment.shared, email);
    return async () => {
      const link = { code: getLinkCode(mail as Mail), password: NEW_PASSWORD };
      const open = () => deployment.call(deployment.newBrowser(), 'actions/verify-email', link);
      await completeOrRegisterAgain(deployment, email, open);
      expect(await deployment.accounts.isVerified(email)).toBe(true);
    };
  },
  'the code of a reset': async (deployment) => {
    const [{ email }, browser] = [await deployment.accounts.create(), deployment.newBrowser()];
    await succeed(deployment, browser, 'password-reset', { email });
    const [mail = { text: '' }] = await mailsTo(deployment.shared, email);
    return async () => {
      await succeed(deployment, browser, 'password-reset/confirm', { code: codeIn(mail), password: NEW_PASSWORD });
      await deployment.accounts.idToken({ email, password: NEW_PASSWORD });
    };
  },
  'the link of a reset': async (deployment) => {
    const [{ email }, browser] = [await deployment.accounts.create(), deployment.newBrowser()];
    await succeed(deployment, browser, 'password-reset', { email });
    const [mail] = await mailsTo(deployment.shared, email);
    return async () => {
      const link = { oobCode: getLinkCode(mail as Mail), password: NEW_PASSWORD };
      await succeed(deployment, deployment.newBrowser(), 'actions/reset-password', link);
    };
  },
  'a sign-in link': async (deployment) => {
    const [{ email }, browser] = [await deployment.accounts.create(), deployment.newBrowser()];
    await nextSecond();
    await succeed(deployment, browser, 'email-link', { email });
    const [mail] = await mailsTo(deployment.shared, email);
    return async () => {
      const link = { code: getLinkCode(mail as Mail), email };
      await signInByToken(
        deployment,
        browser,
        (await succeed(deployment, browser, 'actions/sign-in', link)).customToken,
      );
    };
  },
  'the link "This wasn\'t me"': async (deployment) => {
    const user = await deployment.accounts.create();
    // In the second of its creation, the account could have changed after the sign-in. The mailbox would then be asked
    // again.
    await nextSecond();
    const { browser } = await signIn(deployment, user);
    const mail = await readMail(deployment, user.email, /^New sign-in/);
    return async () => {
      await succeed(deployment, deployment.newBrowser(), 'actions/disavow-sign-in', { code: getLinkCode(mail) });
      await expect.poll(async () => (await deployment.call(browser, 'check-auth-status')).status).toBe(401);
    };
  },
  'a deletion': async (deployment) => {
    const user = await deployment.accounts.create();
    await scheduleDeletion(toEndpoints(deployment), user);
    return async () => {
      const isGone = async () => !(await deployment.accounts.exists(user.email));
      await letDaysPass(deployment, 'deletions', user.uid, isGone);
      const told = () => deployment.webhooks.accepted.filter((body) => body.includes(user.uid)).join();
      await expect.poll(told).toContain('account.deleted');
    };
  },
  'the link that keeps an account': async (deployment) => {
    const user = await deployment.accounts.create();
    await scheduleDeletion(toEndpoints(deployment), user);
    const mail = await readMail(deployment, user.email, /delete/i);
    return async () => {
      await succeed(deployment, deployment.newBrowser(), 'actions/keep-account', { code: getLinkCode(mail) });
      expect(await deployment.query(`select 1 from deletions where uid = '${user.uid}'`)).toEqual([]);
    };
  },
  'the reset of a lost second factor': async (deployment) => {
    const user = await deployment.accounts.create();
    await enrolApp(toEndpoints(deployment), user);
    await scheduleFactorReset(toEndpoints(deployment), user);
    return async () => {
      const isOff = async () => {
        const token = await deployment.accounts.idToken(user);
        return (await deployment.call(deployment.newBrowser(), 'create-user-session', { token })).status === 200;
      };
      await letDaysPass(deployment, 'factor_resets', user.uid, isOff);
    };
  },
  'the code of such a reset': async (deployment) => {
    const [user, browser] = [await deployment.accounts.create(), deployment.newBrowser()];
    await enrolApp(toEndpoints(deployment), user);
    await deployment.call(browser, 'create-user-session', { token: await deployment.accounts.idToken(user) });
    await succeed(deployment, browser, 'second-factor/reset-code');
    const code = await readCode(deployment.shared, user);
    return async () => void (await succeed(deployment, browser, 'second-factor/reset', { code }));
  },
  'a sign-in that waits for its second factor': async (deployment) => {
    const [user, browser] = [await deployment.accounts.create(), deployment.newBrowser()];
    const app = await enrolApp(toEndpoints(deployment), user);
    const token = await deployment.accounts.idToken(user);
    expect((await deployment.call(browser, 'create-user-session', { token })).body?.code).toBe(
      'second-factor-required',
    );
    return async () => {
      const { recoveryCodes } = app;
      await succeed(deployment, browser, 'second-factor/sign-in', { recoveryCode: recoveryCodes[1] ?? '' });
      const body = await succeed(deployment, browser, 'check-auth-status');
      expect(body).toMatchObject({ uid: user.uid, assurance: 2 });
    };
  },
  'the set-up of an authenticator app': async (deployment) => {
    const { browser } = await signIn(deployment);
    const { secret } = await succeed(deployment, browser, 'second-factor/add-app');
    return async () => {
      const code = await new SoftwareApp(String(secret)).nextCode();
      const { recoveryCodes } = await succeed(deployment, browser, 'second-factor/confirm-app', { code });
      const [recoveryCode] = recoveryCodes as string[];
      await succeed(deployment, browser, 'second-factor/confirm-codes', { recoveryCode });
    };
  },
  'a passkey, and the challenges of a sign-in and of another passkey': async (deployment) => {
    const { user, browser } = await signIn(deployment);
    const authenticator = new SoftwareAuthenticator();
    const begin = async (by: CookieJar, to: string, body: object = {}) =>
      (await succeed(deployment, by, `passkeys/${to}`, body)) as unknown as {
        options: Parameters<SoftwareAuthenticator['get']>[0] & Parameters<SoftwareAuthenticator['create']>[0];
        challenge: string;
      };
    const origin = deployment.origin;
    const { options, challenge } = await begin(browser, 'creation-options', { source: 'settings' });
    const created = authenticator.create(options, { origin });
    await succeed(deployment, browser, 'passkeys/add', { challenge, response: created });
    const [other, phone] = [new SoftwareAuthenticator(), deployment.newBrowser()];
    const adding = await begin(browser, 'creation-options', { source: 'settings' });
    const signing = await begin(phone, 'sign-in-options');
    return async () => {
      const response = authenticator.get(signing.options, { origin });
      const body = await succeed(deployment, phone, 'passkeys/sign-in', { challenge: signing.challenge, response });
      expect(body).toMatchObject({ uid: user.uid });
      const added = { challenge: adding.challenge, response: other.create(adding.options, { origin }) };
      await succeed(deployment, browser, 'passkeys/add', added);
    };
  },
  "a code of the mobile app's sign-in": async (deployment) => {
    const { browser } = await signIn(deployment);
    const begun = beginSignIn({ appOrigin: deployment.origin });
    const navigator = new Navigator(deployment.origin);
    navigator.take(browser.cookies);
    const kept = await navigator.open(begun.address);
    const page = await (await navigator.open(new URL(kept.headers.get('location') ?? '', deployment.origin))).text();
    const [, request] = /"selection":\{"request":"([^"]+)"/.exec(page) ?? [];
    const response = await navigator.open(`${deployment.origin}/api/mobile/authorize`, {
      method: 'POST',
      headers: { accept: '*/*', 'content-type': 'application/json', origin: deployment.origin },
      body: JSON.stringify({ request }),
    });
    const answer = await read(response);
    const code = codeFrom(String(answer.body?.address), begun);
    // A code is valid for a minute, but a slow machine takes longer to start a process.
    const redis = new Redis(deployment.redis.url);
    for (const key of await redis.keys('*mobile-code:*')) await redis.expire(key, 3_600);
    redis.disconnect();
    return async () =>
      expect(await exchangeCode({ appOrigin: deployment.origin, code, verifier: begun.verifier })).toBeTruthy();
  },
  'a request, a code and a token of an OpenID client': async (deployment) => {
    const { user, browser } = await signIn(deployment);
    const issuer = `${deployment.origin}/api/oidc`;
    const site = LIBRARIES['openid-client']({ issuer, clientId: 'school', ...deployment.school });
    const navigator = new Navigator(deployment.origin);
    navigator.take(browser.cookies);
    const asked = await site.begin({});
    const code = await navigator.follow(asked.address);
    await deployment.query(
      `update oidc_artifacts set expires_at = expires_at + interval '1 hour',
        payload = jsonb_set(payload, '{exp}', to_jsonb((payload->>'exp')::numeric + 3600))
       where model = 'AuthorizationCode'`,
    );
    // Its user has not signed in yet.
    const visitor = new Navigator(deployment.origin);
    const waiting = await site.begin({});
    const page = await visitor.follow(waiting.address);
    return async () => {
      expect(await site.complete(code, asked.pending)).toMatchObject({ sub: user.uid });
      const other = await signIn(deployment);
      visitor.take(other.browser.cookies);
      const back = page.searchParams.get('redirect_uri') ?? '';
      expect(await site.complete(await visitor.follow(back), waiting.pending)).toMatchObject({ sub: other.user.uid });
    };
  },
};

/** Work that waits in a queue while the mail server and receivers defer everything. */
export const QUEUES: Record<string, Leave> = {
  'an email that a request has asked for': async (deployment) => {
    const { email } = await deployment.accounts.create();
    await succeed(deployment, deployment.newBrowser(), 'password-reset', { email });
    return async () => expect((await mailsTo(deployment.shared, email)).map(codeIn)).toHaveLength(1);
  },
  'a registration': async (deployment) => {
    const [email, browser] = [freshEmail(), deployment.newBrowser()];
    await succeed(deployment, browser, 'registration', newAccount(email));
    return async () => {
      const [{ text } = { text: '' }] = await mailsTo(deployment.shared, email);
      const code = /^[0-9A-Z]{6}$/m.exec(text)?.[0];
      const confirm = () => deployment.call(browser, 'registration/confirm', { code });
      // A registration that the release before has not carried out gets an email without a code.
      await completeOrRegisterAgain(deployment, email, code === undefined ? null : confirm);
    };
  },
  'an email of the outbox, and a logout token': async (deployment) => {
    const { user, browser } = await signIn(deployment);
    const issuer = `${deployment.origin}/api/oidc`;
    const site = LIBRARIES['openid-client']({ issuer, clientId: 'school', ...deployment.school });
    const navigator = new Navigator(deployment.origin);
    navigator.take(browser.cookies);
    const asked = await site.begin({});
    await site.complete(await navigator.follow(asked.address), asked.pending);
    await succeed(deployment, browser, 'initiate-logout');
    await expect.poll(() => deployment.logouts.countRefused()).toBeGreaterThan(0);
    return async () => {
      await expect.poll(async () => (await mailsTo(deployment.shared, user.email)).length).toBe(1);
      await expect.poll(() => deployment.logouts.accepted.length).toBe(1);
    };
  },
  'an event for the platform': async (deployment, build) => {
    const { user } = await signIn(deployment);
    expect((await deployment.runCli(build, 'delete', user.uid, '--yes')).code).toBe(0);
    await expect.poll(() => deployment.webhooks.countRefused()).toBeGreaterThan(0);
    return async () => {
      const told = () => deployment.webhooks.accepted.filter((body) => body.includes(user.uid)).length;
      await expect.poll(told).toBe(1);
    };
  },
};
