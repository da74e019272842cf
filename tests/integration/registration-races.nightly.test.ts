// Threats: pre-hijacking, dependency-failure
// What happens at the same moment as the proof of a registration (docs/adr/0055).
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { getIdentityAdmin, readStoredByEmail } from '@/lib/server/identity/admin';
import { getRecords } from '@/lib/server/storage';
import { exportEvents } from '@/lib/server/storage/records/events';
import { callProvider } from '../support/accounts-client';
import { CookieJar, type Answer } from '../support/client';
import { codeIn } from '../support/mail';
import { oobCodeIn } from '../support/recovery';
import { Registration } from '../support/registration';
import { fetchGoogleIdToken, fetchIdToken, idTokenByCustomToken } from '../support/test-users';

const registration = new Registration();
afterEach(() => {
  vi.restoreAllMocks();
});
const STRANGERS = 'stranger-lantern-43';
const ELSEWHERE = 'elsewhere-lantern-44';

/** Registers in a browser. @returns what its code and its link do */
async function begin(password: string, count = 1) {
  const by = new CookieJar();
  expect((await registration.register({ password }, by)).status).toBe(200);
  const mail = (await registration.mails(count)).at(-1);
  if (!mail) throw new Error('No email');
  const code = codeIn(mail);
  const open = (browser: CookieJar, chosen?: string) =>
    browser.post(`${registration.app.origin}/api/actions/verify-email`, { code: oobCodeIn(mail), password: chosen });
  return {
    confirm: () => registration.confirm(code, by),
    open: () => open(by),
    openElsewhere: () => open(new CookieJar(), ELSEWHERE),
  };
}

const opensBy = (password: string) =>
  fetchIdToken({ email: registration.email, password }).then(
    () => true,
    () => false,
  );
const toResult = ({ status, body }: Answer) => (status === 200 ? 'ok' : String(body?.code));

/** Replaces the next creation of an account at the identity provider. */
function interceptCreation(work: (create: () => Promise<unknown>) => Promise<unknown>): void {
  const admin = getIdentityAdmin();
  const createUser = admin.createUser.bind(admin);
  vi.spyOn(admin, 'createUser').mockImplementationOnce(async (values) => {
    await work(() => createUser(values));
    return createUser(values);
  });
}

describe('at the same moment', () => {
  test('one code that comes back twenty times creates one account, and signs in once', async () => {
    const { confirm } = await begin(registration.values().password);
    const create = vi.spyOn(getIdentityAdmin(), 'createUser');
    const results = (await Promise.all(Array.from({ length: 20 }, confirm))).map(toResult);
    expect(results.filter((result) => result === 'ok')).toHaveLength(1);
    for (const result of results) expect(['ok', 'code-used', 'code-locked']).toContain(result);
    expect(create).toHaveBeenCalledTimes(1);
  });

  test.each(Array.from({ length: 8 }, (_, at) => at))(
    'code and link leave one account with one password: %i',
    async (at) => {
      const own = registration.values().password;
      const { confirm, open, openElsewhere } = await begin(own);
      const steps = [confirm, at % 2 === 0 ? open : openElsewhere];
      const answers = await Promise.all((at % 4 < 2 ? steps : steps.toReversed()).map((step) => step()));
      for (const answer of answers) expect(['ok', 'action-code-invalid', 'code-used']).toContain(toResult(answer));
      expect(answers.map(toResult)).toContain('ok');
      expect([await opensBy(own), await opensBy(ELSEWHERE)].filter(Boolean)).toHaveLength(1);
    },
  );

  test.each([1, 2, 3])(
    'the codes of two browsers leave one account, whose password its own browser knows: %i',
    async () => {
      const passwords = ['first-lantern-41', 'second-lantern-42'];
      const browsers = [await begin('first-lantern-41'), await begin('second-lantern-42', 2)];
      const results = (await Promise.all(browsers.map(({ confirm }) => confirm()))).map(toResult);
      expect([...results].sort()).toEqual(['email-taken', 'ok']);
      expect(await Promise.all(passwords.map(opensBy))).toEqual(results.map((result) => result === 'ok'));
    },
  );
});

describe('between the look-up and the creation', () => {
  test('a sign-up at the identity provider loses its account to the proof', async () => {
    const { confirm } = await begin(registration.values().password);
    const account = { email: registration.email, password: STRANGERS, returnSecureToken: true };
    interceptCreation(() => callProvider({ emulatorHost: inject('emulatorHost') }, 'accounts:signUp', account));
    const token = await idTokenByCustomToken(String((await confirm()).body?.customToken));
    expect(token).toEqual(expect.any(String));
    expect([await opensBy(registration.values().password), await opensBy(STRANGERS)]).toEqual([true, false]);
    expect(await readStoredByEmail(registration.email)).toMatchObject({
      displayName: 'Mia Moreau',
      emailVerified: true,
    });
  });

  test('a sign-in by a provider keeps its account', async () => {
    const { confirm } = await begin(registration.values().password);
    interceptCreation(() => fetchGoogleIdToken(registration.email, true));
    expect(toResult(await confirm())).toBe('email-taken');
    expect((await readStoredByEmail(registration.email))?.providerData.map(({ providerId }) => providerId)).toEqual([
      'google.com',
    ]);
  });
});

test('an account whose creation got no response is this registration’s, and begins once', async () => {
  const { confirm } = await begin(registration.values().password);
  interceptCreation((create) => create());
  expect(toResult(await confirm())).toBe('ok');
  const { uid } = await getIdentityAdmin().getUserByEmail(registration.email);
  const readKinds = async () => (await exportEvents(await getRecords(), uid)).map(({ kind }) => kind).sort();
  await expect.poll(readKinds).toEqual(['email-verified', 'registered']);
});

test('a creation that fails leaves the code valid', async () => {
  const { confirm } = await begin(registration.values().password);
  vi.spyOn(getIdentityAdmin(), 'createUser').mockRejectedValueOnce(new Error('out of order'));
  const first = await confirm();
  const results = first.status === 200 ? ['ok'] : [toResult(first), toResult(await confirm())];
  expect(results.at(-1)).toBe('ok');
});
