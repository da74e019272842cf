// Threats: pre-hijacking
import { expect, test } from 'vitest';
import { decideRegistration, type RegistrationDecision, type RegistrationFacts } from './registration';

const OWN = 'registered-here';
const flags = [false, true] as const;
const facts = flags.flatMap((disabled) =>
  flags.flatMap((managed) =>
    flags.flatMap((emailVerified) =>
      flags.flatMap((hadOtherEmail) =>
        flags.flatMap((hasProvedEmail) =>
          [OWN, 'another'].map((uid) => ({ uid, disabled, managed, emailVerified, hadOtherEmail, hasProvedEmail })),
        ),
      ),
    ),
  ),
);
const listFor = (decision: RegistrationDecision) =>
  facts.filter((account) => decideRegistration(account, OWN) === decision);

test('an email without an account gets one', () => {
  expect(decideRegistration(null, OWN)).toBe('create');
  expect(listFor('create')).toEqual([]);
});

test('only the account that this registration has created is signed in to', () => {
  const open: Partial<RegistrationFacts> = { uid: OWN, emailVerified: true, disabled: false, managed: false };
  for (const account of listFor('sign-in')) expect(account).toMatchObject(open);
  expect(listFor('sign-in')).toHaveLength(4);
});

test('only an account without any proof is taken over', () => {
  const unproved = { disabled: false, managed: false, emailVerified: false, hadOtherEmail: false };
  for (const account of listFor('prove')) expect(account).toMatchObject({ ...unproved, hasProvedEmail: false });
  expect(listFor('prove').map(({ uid }) => uid)).toEqual([OWN, 'another']);
});

test('any other account stays with its owner', () => {
  expect(listFor('taken')).toHaveLength(facts.length - listFor('sign-in').length - listFor('prove').length);
});
