// Threats: stolen-session, custom-token, forged-disavowal
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CREDENTIALS, getCredentialEnd, type Credential, type CredentialFacts } from './credentials';

const ISSUED = 1_000;
const account = { email: 'mia@campus.test', disabled: false, validSince: ISSUED - 1 };
type Change = Partial<Pick<CredentialFacts, 'session' | 'account'>>;

/** What remains after each kind of end. The credential came from the ended session. */
const ENDINGS: Record<string, Change> = {
  'sign-out': { session: 'ended' },
  'sign-out from another device': { session: 'ended' },
  'sign-out everywhere': { session: 'ended', account: { ...account, validSince: ISSUED + 1 } },
  revocation: { account: { ...account, validSince: ISSUED + 1 } },
  'new email': { account: { ...account, email: 'eve@campus.test' } },
  disabled: { account: { ...account, disabled: true } },
};
const names = Object.keys(CREDENTIALS) as Credential[];
const facts = (credential: Credential, change: Change = {}): CredentialFacts => {
  const isDerived = (CREDENTIALS[credential].endsBy as readonly string[]).includes('session');
  const session = isDerived ? (change.session ?? 'live') : null;
  return { credential, issuedAt: ISSUED, email: account.email, account, ...change, session };
};

/** The table of docs/account-policy.md has a row for each credential and a column for each kind of end. */
const documented = readFileSync('docs/account-policy.md', 'utf8')
  .split('## What ends with a session')[1]
  ?.split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, name = '', ...cells]) => [name.replaceAll('`', ''), cells.slice(0, Object.keys(ENDINGS).length)] as const);

describe('getCredentialEnd', () => {
  it('is documented for every credential', () => {
    expect(documented?.map(([name]) => name)).toEqual(names);
  });

  const cases = names.flatMap((name, row) =>
    Object.keys(ENDINGS).map((ending, column) => ({ name, ending, cell: documented?.[row]?.[1][column] ?? '' })),
  );
  it.each(cases)('of $name after $ending: $cell', ({ name, ending, cell }) => {
    const end = getCredentialEnd(facts(name, ENDINGS[ending]));
    expect(end === null ? 'stays' : 'ends').toBe(cell);
  });

  it.each(names)('of %s: it lives while nothing has happened, and ends with its account', (name) => {
    expect(getCredentialEnd(facts(name))).toBeNull();
    expect(getCredentialEnd({ ...facts(name), account: null })).toBe('deleted');
  });

  it('ends a link of the very second of a revocation, and no sign-in', () => {
    const changed = { account: { ...account, validSince: ISSUED } };
    expect(getCredentialEnd(facts('sign-in-link', changed))).toBe('revocation');
    expect(getCredentialEnd(facts('waiting-sign-in', changed))).toBeNull();
  });
});
