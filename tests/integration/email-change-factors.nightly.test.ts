// Threats: email-change-abused
import { randomUUID } from 'node:crypto';
import { expect, inject, test, vi } from 'vitest';
import { getRecords } from '@/lib/server/storage/records';
import { nextSecond, UNHURRIED } from '../support/client';
import { work } from '../support/deletions';
import { codeIn, mailsTo } from '../support/mail';
import { emailAfter, enterByMailbox, readEmail } from '../support/mailbox-owner';
import { serveSecondFactor } from '../support/second-factor-app';

process.env.TRUSTED_PROXY_HOPS = '1';
const app = serveSecondFactor();
vi.setConfig(UNHURRIED);
const mailbox = { mailboxUrl: inject('mailboxUrl') };

test('an app that was added after a change of the email goes with its restoration, and earlier ones stay', async () => {
  const { laptop, codes } = await app.enrol();
  const [first] = (await app.read()).apps;
  // The second factor has revoked sign-ins in this second.
  await nextSecond();
  const to = `${randomUUID()}@new.test`;
  const code = codeIn(await emailAfter(to, () => app.call(laptop, 'account/email', { email: to })));
  expect(await app.call(laptop, 'account/email/confirm', { code })).toMatchObject({ status: 200 });
  await app.begin(laptop);
  expect((await app.read()).apps).toHaveLength(2);
  await work(await getRecords());
  const told = (await mailsTo(mailbox, app.user.email, 0)).map(readEmail);
  const undo = told.findLast(({ mode }) => mode === 'undoEmailChange');
  const answer = await app.call(app.newBrowser(), 'actions/undo-email-change', { code: undo?.oobCode });
  expect(answer).toMatchObject({ status: 200 });
  expect((await app.read()).apps.map(({ id }) => id)).toEqual([first?.id]);
  // The owner is still asked for the second factor.
  const show = (browser: Parameters<typeof app.show>[0]) => app.show(browser, { recoveryCode: codes.at(-1) });
  expect(await enterByMailbox(app, app.user.email, show)).toBe(app.user.uid);
});
