// Threats: factor-skipped
import type { UserRecord } from 'firebase-admin/auth';
import { expect, test } from 'vitest';
import { TOKEN_METHODS } from '@/lib/shared/sign-in-methods';
import { toAccountFacts } from './account';
import type { Directory } from './directory';
import { FACTORS } from './second-factor';
import { getAssurance, getSecondFactorStep, getShownFactor } from './sign-in';

const flags = [false, true] as const;
const cases = flags.flatMap((hasSecondFactor) =>
  ([1, 2] as const).flatMap((assurance) =>
    flags.flatMap((isRemembered) =>
      flags.map((requiresSecondFactor) => ({ hasSecondFactor, assurance, isRemembered, requiresSecondFactor })),
    ),
  ),
);

/** Written from docs/account-policy.md. */
function getExpected({ hasSecondFactor, assurance, isRemembered, requiresSecondFactor }: (typeof cases)[number]) {
  if (assurance === 2) return null;
  if (hasSecondFactor) return isRemembered ? null : 'second-factor-required';
  return requiresSecondFactor ? 'second-factor-setup-required' : null;
}

test.each(cases)('%o', (given) => {
  expect(getSecondFactorStep(given, given)).toBe(getExpected(given));
});

const OWN = 'mia@acme.test';
/** `isOwner`: the directory names it for the account's domain. */
const PROVIDERS = [
  { id: 'saml.acme', isOwner: true },
  { id: 'oidc.own', isOwner: true },
  { id: 'saml.north', isOwner: false },
  { id: 'oidc.any', isOwner: false },
  { id: 'google.com', isOwner: false },
  { id: 'password', isOwner: false },
];
/** How the account has the identity: by address, by subject only, for another user, or not at all. */
const IDENTITIES = {
  own: [{ email: 'Mia@acme.test', uid: 'x' }],
  subject: [{ email: '', uid: OWN }],
  other: [{ email: 'someone.else@acme.test', uid: 'x' }],
  unnamed: [{ email: '', uid: 'x' }],
  none: [],
};

const createDirectory = (countsAsTwoFactors: boolean | undefined): Directory => {
  const entry = { name: 'Acme', ...(countsAsTwoFactors !== undefined && { countsAsTwoFactors }) };
  return {
    publicMailboxDomains: new Set(),
    enterprises: new Map([
      ['acme.test', { ...entry, provider: 'saml.acme' }],
      ['north.test', { ...entry, provider: 'saml.north' }],
    ]),
    partners: new Map([
      ['own', { ...entry, provider: 'oidc.own', enabled: true, emailDomains: ['acme.test'] }],
      ['any', { ...entry, provider: 'oidc.any', enabled: true }],
    ]),
  };
};

test('two factors were shown by a passkey, a code, or the account holder of an organization that counts as two, and by nothing else', () => {
  let count = 0;
  for (const countsAsTwo of [true, false, undefined, null])
    for (const { id, isOwner } of PROVIDERS)
      for (const [how, identities] of Object.entries(IDENTITIES)) {
        const providerData = [
          { providerId: 'password', email: OWN, uid: OWN },
          ...identities.map((identity) => ({ providerId: id, ...identity })),
        ];
        const directory = countsAsTwo === null ? null : createDirectory(countsAsTwo);
        const account = toAccountFacts(
          { uid: 'u', email: OWN, providerData } as unknown as UserRecord,
          directory,
          null,
        );
        const hasOrganization = isOwner && countsAsTwo === true && (how === 'own' || how === 'subject');
        for (const provider of ['custom', ...PROVIDERS.map((one) => one.id)])
          for (const method of [null, ...TOKEN_METHODS])
            for (const factor of [null, ...FACTORS]) {
              const byOrganization = hasOrganization && (provider === id || factor === 'organization');
              const isTwo = method === 'passkey' || factor === 'totp' || factor === 'recovery-code' || byOrganization;
              const given = { countsAsTwo, id, how, provider, method, factor };
              const assurance = getAssurance(account, { provider, method, factor });
              if (assurance !== (isTwo ? 2 : 1))
                expect({ ...given, assurance }).toEqual({ ...given, assurance: isTwo ? 2 : 1 });
              // A token without a provider then counts the same, except for a remembered browser, whose trust is not
              // passed on.
              const shown = getShownFactor(account, { provider, factor });
              if (shown !== (factor ?? (byOrganization ? 'organization' : null)))
                expect({ ...given, shown }).toBeNull();
              const handedOn = getAssurance(account, { provider: 'custom', method, factor: shown });
              if (factor !== 'remembered-browser') expect(handedOn).toBe(assurance);
              count += 1;
            }
      }
  expect(count).toBeGreaterThan(10_000);
});
