// Threats: unproved-rename
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';

/** Files of the product in which a pattern occurs, without tests. */
const findFiles = (pattern: string) =>
  execFileSync('git', ['grep', '-lP', '--untracked', pattern, '--', 'lib/server', 'pages', ':!*.test.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n');

const SERVER = 'lib/server';

test('claims are written at one place, together with the email that was decided on', () => {
  expect(findFiles('customAttributes')).toEqual([`${SERVER}/identity/identity-toolkit.ts`]);
  expect(findFiles('\\beditClaims\\(')).toEqual([
    `${SERVER}/identity/change-account.ts`,
    `${SERVER}/policy/account.ts`,
  ]);
  expect(findFiles('\\bwriteJudgedAccount\\(')).toEqual([`${SERVER}/identity/change-account.ts`]);
  expect(() => findFiles('setCustomUserClaims')).toThrow();
});

/**
 * Every file that changes an account at the identity provider, and why a foreign change between its decision and that change does no harm.
 * `judged`: the change carries the email and claims that were decided on, and the account is read again after it. `locked`: the account is read
 * and changed with its lock, and frozen or without a token by then. `revokes`: it only takes away, whatever the account has become.
 * `creates`: there was no account to decide on; the provider refuses no duplicate of an email that was registered meanwhile. `no-access`:
 * nothing that it changes gives access.
 */
const CHANGES: Record<string, 'judged' | 'locked' | 'revokes' | 'creates' | 'no-access'> = {
  // Only once the proof of the same link was applied.
  'accounts/confirmation.ts': 'judged',
  'accounts/deletion.ts': 'revokes',
  'accounts/disavow.ts': 'judged',
  'accounts/import/import-users.ts': 'creates',
  // The name gives no access; a password is set, and a method removed, as judged.
  'accounts/own-account.ts': 'judged',
  'accounts/recovery.ts': 'revokes',
  // The mark of a new account; its deletion is locked.
  'accounts/registration.ts': 'judged',
  // `restoreProvedEmail`: locked.
  'identity/change-account.ts': 'judged',
  // A first sign-in says whose the email is.
  'identity/find.ts': 'judged',
  'passkeys/assertion.ts': 'revokes',
  'second-factor/enrolment.ts': 'judged',
  'second-factor/removal.ts': 'judged',
  'second-factor/sign-in.ts': 'judged',
  // Cuts a name and a picture; removes methods as judged.
  'session/open-session.ts': 'judged',
  'session/prove-mailbox.ts': 'judged',
  'session/require-session.ts': 'revokes',
  'session/verify-sign-in.ts': 'judged',
};

test('every place that changes an account says what it does about a change in between', () => {
  const changing =
    '(?<!function )\\b(changeAccount|changeAccountWithSessions|changeJudgedAccount|writeJudgedAccount|deleteAccount|freezeAccount|resetPasswordByCode|applyVerificationCode|signInWithLinkCode)\\(|\\.(createUser|updateUser|deleteUsers?|importUsers)\\(';
  expect(findFiles(changing).map((file) => file.replace(`${SERVER}/`, ''))).toEqual(Object.keys(CHANGES).sort());
});

/** Every file that removes something from an account, and the emails that say so (docs/account-policy.md#removals). */
const REMOVALS: Record<string, string[]> = {
  'accounts/disavow.ts': ['sign-in-undone'],
  'accounts/own-account.ts': ['method-removed'],
  'identity/change-account.ts': ['email-restored', 'account-locked'],
  'session/open-session.ts': ['methods-disconnected'],
  'session/prove-mailbox.ts': ['methods-removed'],
  'session/verify-sign-in.ts': ['provider-refused'],
  'storage/records/passkeys.ts': ['passkey-removed'],
};

test('sign-in methods are removed by one function, which tells the owner', () => {
  expect(findFiles('\\bremoves\\b.*(methods|removes)|removeForeignPasskeys\\(tx|removeSuspectPasskeys\\(tx')).toEqual(
    Object.keys(REMOVALS).map((file) => `${SERVER}/${file}`),
  );
  // No other file hands the identity provider what to remove.
  expect(findFiles('\\b(unlink|removePassword):')).toEqual([
    `${SERVER}/identity/change-account.ts`,
    `${SERVER}/policy/sign-in.ts`,
  ]);
  for (const [file, kinds] of Object.entries(REMOVALS))
    for (const kind of kinds) expect(findFiles(`'${kind}'`)).toContain(`${SERVER}/${file}`);
});
