// ASVS: 6.3.1, 6.6.3
// Threats: code-guessing, login-csrf
import { describe, expect, test, vi } from 'vitest';
import { CookieJar } from '../support/client';
import { codeIn, wrongCode } from '../support/mail';
import { Registration } from '../support/registration';
import { freshEmail } from '../support/account-journeys';

const registration = new Registration();
const { app } = registration;

/** Begins a registration in the same browser. */
async function begin(email: string) {
  const { body, status } = await registration.register({ email });
  return { email, status, flow: String(body?.flow) };
}
type Flow = Awaited<ReturnType<typeof begin>>;

const confirm = ({ flow }: Pick<Flow, 'flow'>, code: string) =>
  registration.jar.post(`${app.origin}/api/registration/confirm`, { flow, code });
const resend = ({ flow }: Flow) => registration.jar.post(`${app.origin}/api/registration/resend`, { flow });
const lastCode = async ({ email }: Flow, count = 1) =>
  codeIn((await registration.mails(count, email)).at(-1) ?? { text: '' });

describe('two flows of one browser', () => {
  test('each have their code, attempts and waits', async () => {
    const [one, two] = [await begin(freshEmail()), await begin(freshEmail())];
    const code = await lastCode(one);
    for (const left of [4, 3])
      expect((await confirm(one, wrongCode(code))).body).toMatchObject({ code: 'code-wrong', triesLeft: left });
    expect((await confirm(two, wrongCode(await lastCode(two)))).body).toMatchObject({ triesLeft: 4 });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    expect((await resend(one)).body).toEqual({ resendAfter: 30, flow: one.flow });
    expect((await resend(one)).status).toBe(429);
    expect((await resend(two)).status).toBe(200);
    expect((await confirm(one, await lastCode(one, 2))).status).toBe(200);
    expect((await confirm(two, await lastCode(two, 2))).status).toBe(200);
  });

  test('are not begun twice for one email: its attempts and emails stay those of one flow', async () => {
    const first = await begin(freshEmail());
    await begin(freshEmail());
    const answers = [];
    for (let count = 0; count < 5; count += 1) answers.push(await begin(first.email));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
    expect(new Set(answers.slice(0, 4).map(({ flow }) => flow))).toEqual(new Set([first.flow]));
  });

  test('are refused by a browser that has neither', async () => {
    const one = await begin(freshEmail());
    const code = await lastCode(one);
    registration.jar = new CookieJar();
    await begin(freshEmail());
    expect((await confirm(one, code)).body).toMatchObject({ code: 'code-missing' });
    expect((await resend(one)).body).toMatchObject({ code: 'code-missing' });
  });
});

test('of a page that names no flow, code and "Resend code" are those of the newest', async () => {
  await begin(freshEmail());
  const newest = await begin(freshEmail());
  await lastCode(newest);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
  expect((await registration.resend()).body).toMatchObject({ flow: newest.flow });
  expect((await registration.confirm(await lastCode(newest, 2))).status).toBe(200);
});

test('a completed flow sends no more codes', async () => {
  const flow = await begin(freshEmail());
  await confirm(flow, await lastCode(flow));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
  expect((await resend(flow)).body).toMatchObject({ code: 'code-used' });
});

test.each(['../x', '', 'x'.repeat(37), { $ne: 1 }])('"%s" is no flow', async (flow) => {
  const answer = await registration.jar.post(`${app.origin}/api/registration/confirm`, { flow, code: 'ABCDEF' });
  expect(answer.body).toMatchObject({ code: 'bad-request' });
});

test('clearing the device deletes every flow', async () => {
  await begin(freshEmail());
  await begin(freshEmail());
  expect(Object.keys(registration.jar.cookies).join()).toContain('email-confirmation-token-');
  await registration.jar.post(`${app.origin}/api/clear-device`);
  expect(Object.keys(registration.jar.cookies)).toEqual(['kk_logged_in']);
});
