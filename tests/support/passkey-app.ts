import { expect, inject } from 'vitest';
import { getRecords } from '@/lib/server/storage/records';
import { listPasskeys, type StoredPasskey } from '@/lib/server/storage/records/passkeys';
import type { Answer, CookieJar } from './client';
import { work } from './deletions';
import { mailsTo } from './mail';
import { serveSessions } from './session-app';
import { SoftwareAuthenticator, type Forgery } from './software-authenticator';

type Options = Parameters<SoftwareAuthenticator['get']>[0] & Parameters<SoftwareAuthenticator['create']>[0];
type Begun = { options: Options; challenge: string };
export type PasskeyApp = ReturnType<typeof servePasskeys>;

/** The API on a database of its own, with learners who add and use passkeys. */
export function servePasskeys() {
  const app = serveSessions();
  const { newBrowser, call, signIn } = app;

  const begin = async (browser: CookieJar, path: string, body?: object) => {
    const answer = await call(browser, `passkeys/${path}`, body);
    expect([answer.status, answer.body?.code]).toEqual([200, undefined]);
    return answer.body as Begun;
  };
  const add = async (
    browser: CookieJar,
    authenticator = new SoftwareAuthenticator(),
    forgery: Forgery = {},
    body: object = { source: 'settings' },
  ) => {
    const { options, challenge } = await begin(browser, 'creation-options', body);
    return call(browser, 'passkeys/add', { challenge, response: authenticator.create(options, forgery) });
  };
  const use = async (browser: CookieJar, authenticator: SoftwareAuthenticator, forgery: Forgery = {}) => {
    const { options, challenge } = await begin(browser, 'sign-in-options');
    return call(browser, 'passkeys/sign-in', { challenge, response: authenticator.get(options, forgery) });
  };
  const stored = async (uid = app.user.uid): Promise<StoredPasskey[]> =>
    (await listPasskeys(await getRecords(), uid)).passkeys;
  /** A learner with a passkey, on a laptop. */
  const enroll = async (authenticator = new SoftwareAuthenticator()) => {
    const laptop = newBrowser();
    await signIn(laptop);
    const added = await add(laptop, authenticator);
    expect(added.status).toBe(200);
    return { laptop, authenticator, id: (added.body?.passkey as { id: string }).id };
  };
  const readMails = async (count: number) => {
    await work(await getRecords());
    return mailsTo({ mailboxUrl: inject('mailboxUrl') }, app.user.email, count);
  };
  const readSubjects = async (count: number) => {
    const mails = await readMails(count);
    return mails.map(({ subject }) => subject).filter((subject) => !subject.startsWith('New sign-in'));
  };
  const ok = ({ status }: Answer) => status;

  // With the getter of the test's user.
  return Object.assign(Object.create(app) as typeof app, {
    begin,
    add,
    use,
    stored,
    enroll,
    readMails,
    readSubjects,
    ok,
  });
}
