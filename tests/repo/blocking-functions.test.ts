// Threats: sign-up-past-app, provider-takeover
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { SOCIAL_PROVIDERS } from '@/lib/shared/sign-in-methods';
import { getProviderAuthorization as getAuthorizationInApp } from '@/lib/server/policy/provider-authorization';
import { openDirectoryFile } from '@/lib/server/policy/directory';
import { decideOnCreate, decideOnSignIn } from '../../deploy/blocking-functions/decide.mjs';
import { parseDirectory, readDirectory } from '../../deploy/blocking-functions/directory.mjs';
import { getProviderAuthorization, SOCIAL_OIDC } from '../../deploy/blocking-functions/providers.mjs';
import { FEDERATED, isSignUpAllowed } from '../../deploy/blocking-functions/sign-up.mjs';

const social = Object.values(SOCIAL_PROVIDERS).map(({ firebaseId }) => firebaseId);
const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'directory-')), 'directory.json');
/** Reads the directory from the text in the same way as the app. */
async function readInApp(text: string) {
  writeFileSync(file, text);
  const directory = await openDirectoryFile(file).read();
  if (!directory) throw new Error('Not a directory');
  return directory;
}

describe('social providers', () => {
  const isOidc = (id: string) => id.startsWith('oidc.');

  it('are those of the app: any other id would bypass the directory', () => {
    expect(SOCIAL_OIDC).toEqual(social.filter(isOidc));
    expect([...FEDERATED].sort()).toEqual(social.filter((id) => !isOidc(id)).sort());
  });
});

describe('a sign-up', () => {
  it.each([...social, 'saml.acme', 'oidc.acme', 'oidc.north-2_b'])('with %s can be a first sign-in', (id) =>
    expect(isSignUpAllowed(id)).toBe(true),
  );

  it.each([
    undefined,
    '',
    'password',
    'emailLink',
    'phone',
    'anonymous',
    'custom',
    'saml.',
    'oidc.',
    'samlacme',
    'x.saml.acme',
    'google.com.evil.test',
    'notgoogle.com',
    'linkedin.com',
    'yahoo.com',
    'constructor',
  ])('with %s is refused', (id) => expect(isSignUpAllowed(id)).toBe(false));
});

describe('provider authorization', () => {
  /**
   * Each partner alone and each pair of partners: disabled or enabled, without domains, with an empty list, or with
   * domains.
   */
  const domainLists = [undefined, [], ['own.test'], ['acme.test'], ['other.test', 'own.test']];
  const entries = domainLists.flatMap((emailDomains) => [true, false].map((enabled) => ({ emailDomains, enabled })));
  const partners = entries.flatMap((one) => [
    { one: { name: 'One', provider: 'oidc.one', ...one } },
    ...entries.flatMap((two) =>
      ['oidc.one', 'oidc.two'].map((provider) => ({
        one: { name: 'One', provider: 'oidc.one', ...one },
        two: { name: 'Two', provider, ...two },
      })),
    ),
  ]);
  const enterprises = [
    {},
    { 'acme.test': { name: 'Acme', provider: 'saml.acme' } },
    { 'acme.test': { name: 'Acme', provider: 'oidc.one' }, 'own.test': { name: 'Own', provider: 'saml.acme' } },
  ];
  const directories = enterprises.flatMap((some) =>
    partners.map((more) => JSON.stringify({ enterprises: some, partners: more })),
  );
  const providers = [
    ...social,
    'password',
    'custom',
    'phone',
    'anonymous',
    'saml.acme',
    'saml.gone',
    'oidc.one',
    'oidc.two',
    'oidc.gone',
    'oidc.linkedin2',
  ];
  const emails = [
    ...['acme.test', 'ACME.test', 'own.test', 'other.test', 'free.test', 'sub.acme.test'].map(
      (domain) => `mia@${domain}`,
    ),
    'acme.test',
    'a@own.test@free.test',
    '',
    null,
  ];

  it('matches the app for every directory, provider and email', async () => {
    let compared = 0;
    for (const text of directories) {
      const [own, inApp] = [parseDirectory(text), await readInApp(text)];
      for (const id of providers)
        for (const email of emails) {
          const authorization = getAuthorizationInApp(id, email, inApp);
          const refused = ['outside-domains', 'not-listed'].includes(authorization) ? 'refused' : authorization;
          const isApplicable = /^(?:saml|oidc)\./.test(id) && !social.some((known) => known === id);
          compared += 1;
          expect([text, id, email, getProviderAuthorization(id, email, own)]).toEqual([
            text,
            id,
            email,
            isApplicable ? refused : 'not-applicable',
          ]);
        }
    }
    expect(compared).toBeGreaterThan(50_000);
  });

  it('is none without a directory', () => {
    for (const id of ['saml.acme', 'oidc.one'])
      expect(getProviderAuthorization(id, 'mia@acme.test', null)).toBe('refused');
    for (const id of ['password', 'phone', 'custom', ...social, undefined])
      expect(getProviderAuthorization(id, 'mia@acme.test', null)).toBe('not-applicable');
  });
});

describe('the directory', () => {
  const partner = { name: 'Acme', provider: 'oidc.acme' };
  const wrongEnterprises: [string, unknown][] = [
    ['Not A Domain', { name: 'X', provider: 'saml.x' }],
    ['acme', { name: 'X', provider: 'saml.x' }],
    ['acme.test', { name: 'X', provider: 'google.com' }],
    ['acme.test', { name: '', provider: 'saml.x' }],
    ['acme.test', null],
  ];
  const wrongPartners: [string, unknown][] = [
    ['a c', partner],
    ['', partner],
    ['acme', { ...partner, name: undefined }],
    ['acme', { ...partner, name: 'x'.repeat(61) }],
    ['acme', { ...partner, provider: 'saml.acme' }],
    ['acme', { ...partner, enabled: 'yes' }],
    ['acme', { ...partner, emailDomains: 'acme.test' }],
    ['acme', { ...partner, emailDomains: null }],
    ['acme', { ...partner, emailDomains: ['ACME.test'] }],
    ['acme', [partner]],
  ];

  it.each([
    ...wrongEnterprises.map(([key, entry]) => JSON.stringify({ enterprises: { [key]: entry } })),
    ...wrongPartners.map(([key, entry]) => JSON.stringify({ partners: { [key]: entry } })),
  ])('has an invalid entry, for the app too: %s', async (text) => {
    expect(() => parseDirectory(text)).toThrow('Wrong entry');
    const { enterprises, partners } = await readInApp(text);
    expect([enterprises.size, partners.size]).toEqual([0, 0]);
  });

  it('that is missing or invalid refuses every organization, and is logged', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    for (const text of ['{ not json', '[]', 'null', '{"partners": []}', '{"publicMailboxDomains": "x"}']) {
      writeFileSync(file, text);
      expect(readDirectory(pathToFileURL(file))).toBeNull();
    }
    expect(readDirectory(pathToFileURL(`${file}.missing`))).toBeNull();
    expect(log).toHaveBeenCalledTimes(6);
    log.mockRestore();
    writeFileSync(file, '{}');
    expect(readDirectory(pathToFileURL(file))).not.toBeNull();
  });

  it('of the local stack is valid', () => {
    expect(readDirectory(pathToFileURL('config/directory.local.json'))).not.toBeNull();
  });
});

describe('the decision', () => {
  const directory = parseDirectory(
    JSON.stringify({
      enterprises: { 'acme.test': { name: 'Acme', provider: 'saml.acme' } },
      partners: {
        any: { name: 'Any', provider: 'oidc.any' },
        own: { name: 'Own', provider: 'oidc.own', emailDomains: ['own.test'] },
      },
    }),
  );
  const signIn = (providerId: string, email: string) => ({ providerId, email });
  const stored =
    (methods: string[], emailVerified = true) =>
    () =>
      Promise.resolve({ methods, emailVerified });
  const unread = () => Promise.reject(new Error('Not to be read'));

  it('leaves a new account of a partner without domains unverified', () => {
    expect(decideOnCreate(signIn('oidc.any', 'mia@free.test'), directory)).toEqual({
      isAllowed: true,
      changes: { emailVerified: false },
    });
    expect(decideOnCreate(signIn('oidc.own', 'mia@own.test'), directory)).toEqual({ isAllowed: true });
    expect(decideOnCreate(signIn('google.com', 'mia@own.test'), directory)).toEqual({ isAllowed: true });
  });

  it.each(['password', 'oidc.gone', 'oidc.own', 'saml.acme'])('refuses %s on a new account', (id) =>
    expect(decideOnCreate(signIn(id, 'mia@free.test'), directory).isAllowed).toBe(false),
  );

  it.each([[[]], [['password']], [['google.com', 'saml.acme']]])(
    'refuses a partner without domains on an account that has only %s',
    async (methods) =>
      expect((await decideOnSignIn(signIn('oidc.any', 'mia@free.test'), directory, stored(methods))).isAllowed).toBe(
        false,
      ),
  );

  it.each([true, false])('keeps the verified flag for a partner without domains: %s', async (verified) => {
    const account = stored(['password', 'oidc.any'], verified);
    const decision = await decideOnSignIn(signIn('oidc.any', 'mia@free.test'), directory, account);
    expect(decision).toEqual({ isAllowed: true, changes: { emailVerified: verified } });
  });

  it('treats an account that is not stored yet as new', async () => {
    const decision = await decideOnSignIn(signIn('oidc.any', 'mia@free.test'), directory, () => Promise.resolve(null));
    expect(decision).toEqual({ isAllowed: true, changes: { emailVerified: false } });
  });

  it('reads the account for no other sign-in, and fails if that read fails', async () => {
    for (const [id, email] of [
      ['password', 'mia@acme.test'],
      ['custom', 'mia@own.test'],
      ['google.com', 'mia@own.test'],
      ['saml.acme', 'mia@acme.test'],
      ['oidc.own', 'mia@own.test'],
    ] as const)
      expect(await decideOnSignIn(signIn(id, email), directory, unread)).toEqual({ isAllowed: true });
    for (const [id, email] of [
      ['saml.acme', 'mia@own.test'],
      ['oidc.own', 'mia@acme.test'],
      ['oidc.any', 'mia@acme.test'],
      ['oidc.gone', 'mia@own.test'],
    ] as const)
      expect(await decideOnSignIn(signIn(id, email), directory, unread)).toEqual({ isAllowed: false });
    await expect(decideOnSignIn(signIn('oidc.any', 'mia@free.test'), directory, unread)).rejects.toThrow();
  });
});
