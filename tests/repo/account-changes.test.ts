// Threats: unproved-rename
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';

/** Lists files of the product in which a pattern occurs, without tests. */
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
 * Every file that changes an account at the identity provider, and why a foreign change between its decision and that
 * change does no harm.
 * `judged`: the change carries the email and claims of the decision, and the account is read again afterward.
 * `locked`: the account is read and changed with its lock. By then it is frozen or has no token.
 * `revokes`: the change only removes, whatever the account's state.
 * `creates`: there was no account to decide about, and the provider refuses an email that was registered in the
 * meantime.
 * `no-access`: the change does not give access.
 */
const CHANGES: Record<string, 'judged' | 'locked' | 'revokes' | 'creates' | 'no-access'> = {
  'accounts/complete-registration.ts': 'creates',
  // Runs only after the proof of the same link was applied.
  'accounts/confirmation.ts': 'judged',
  'accounts/deletion/deletion.ts': 'revokes',
  'accounts/disavow.ts': 'judged',
  'accounts/email-change.ts': 'judged',
  'accounts/emailed-sign-in.ts': 'revokes',
  'accounts/import/import-users.ts': 'creates',
  // The name gives no access. Setting a password and removing a method are `judged`.
  'accounts/own-account.ts': 'judged',
  // `restoreProvedEmail` is `locked`.
  'identity/change-account.ts': 'judged',
  // A first sign-in records whose the email is.
  'identity/find.ts': 'judged',
  'passkeys/assertion.ts': 'revokes',
  'second-factor/enrolment.ts': 'judged',
  'second-factor/removal.ts': 'judged',
  'second-factor/sign-in.ts': 'judged',
  // Shortens a name and a picture. The removal of methods is `judged`.
  'session/open-session.ts': 'judged',
  'session/prove-mailbox.ts': 'judged',
  'session/require-session.ts': 'revokes',
  'session/verify-sign-in.ts': 'judged',
  // Disables and enables. An email that is not the proved one still refuses every sign-in.
  'support/act.ts': 'locked',
};

test('every place that changes an account says what it does about a change in between', () => {
  const changing =
    '(?<!function )\\b(changeAccount|changeAccountWithSessions|changeJudgedAccount|writeJudgedAccount|deleteAccount|freezeAccount|resetPasswordByCode|applyVerificationCode|signInWithLinkCode)\\(|\\.(createUser|updateUser|deleteUsers?|importUsers)\\(';
  expect(findFiles(changing).map((file) => file.replace(`${SERVER}/`, ''))).toEqual(Object.keys(CHANGES).sort());
});

/**
 * Every file that removes something from an account, and the emails that report it (docs/account-policy.md#removals).
 */
const REMOVALS: Record<string, string[]> = {
  'accounts/disavow.ts': ['sign-in-undone'],
  'accounts/email-change.ts': ['recovery-email-removed'],
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
  // No other file asks the identity provider to remove something.
  expect(findFiles('\\b(unlink|removePassword):')).toEqual([
    `${SERVER}/identity/change-account.ts`,
    `${SERVER}/policy/sign-in.ts`,
  ]);
  for (const [file, kinds] of Object.entries(REMOVALS))
    for (const kind of kinds) expect(findFiles(`'${kind}'`)).toContain(`${SERVER}/${file}`);
});
