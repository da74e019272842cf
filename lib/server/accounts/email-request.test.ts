// Threats: email-budget
import { describe, expect, it } from 'vitest';
import { CODE_TTL_SECONDS } from '@/lib/server/codes/one-time-codes';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import { getMailbox, getEmailBudgets, type EmailRequester, type EmailPurpose } from './email-request';

const PURPOSES: EmailPurpose[] = ['confirm-email', 'reset-password', 'sign-in', 'sign-in-help'];
const NETWORKS = ['203.0.113.1', '2001:db8:1::/48'];
const OWN = { limit: 'email-of-flow', key: 'flow-1' };

/** The keys by which a request's budgets are counted. Each row has one combination of evidence. */
const RULES = [
  { openFlow: null, browser: null, by: ['network', 'networks'] },
  { openFlow: null, browser: 'browser-1', by: ['browser:browser-1', 'browsers'] },
  { openFlow: 'flow-1', browser: null, by: null },
  { openFlow: 'flow-1', browser: 'browser-1', by: null },
];
const table = PURPOSES.flatMap((purpose) =>
  NETWORKS.flatMap((network) => RULES.map((rule) => ({ purpose, network, ...rule }))),
);

const email = 'mia@campus.test';
const getKeys = (requester: EmailRequester) => getEmailBudgets(requester).map(({ key }) => key);

describe('an email counts against', () => {
  it.each(table)('$purpose from $network, flow $openFlow, browser $browser: $by', (row) => {
    const budgets = getEmailBudgets({ ...row, email });
    if (row.by === null) {
      expect(budgets).toEqual([OWN]);
      return;
    }
    const [one, all] = row.by.map((name) => (name === 'network' ? `network:${row.network}` : name));
    expect(budgets.map(({ limit }) => limit)).toEqual(['email-to-address', 'email-to-address-overall']);
    expect(budgets[0]?.key).toMatch(new RegExp(`^${row.purpose}:[\\w-]{43}:`));
    expect(budgets[0]?.key.endsWith(`:${String(one)}`)).toBe(true);
    expect(budgets[1]?.key.endsWith(`:${String(all)}`)).toBe(true);
  });

  it('a budget shared with no other purpose, email or kind of client', () => {
    const requesters = table.flatMap((row) => [
      { ...row, email },
      { ...row, email: 'lena@campus.test' },
    ]);
    for (const a of requesters) {
      for (const b of requesters) {
        const sameRequester =
          a.openFlow !== null ||
          (a.purpose === b.purpose && a.email === b.email && (a.browser === null) === (b.browser === null));
        const shares = getKeys(a).some((key) => getKeys(b).includes(key));
        if (shares) expect([a.openFlow, sameRequester]).toEqual([b.openFlow, true]);
      }
    }
  });

  it('the same budget for an email in upper case', () => {
    for (const row of table)
      expect(getKeys({ ...row, email: email.toUpperCase() })).toEqual(getKeys({ ...row, email }));
  });

  it.each(['mia+1@campus.test', 'MIA+Two@Campus.test', 'mia+a+b@campus.test', 'mia+@campus.test'])(
    'the same for %s',
    (alias) => {
      for (const row of table) expect(getKeys({ ...row, email: alias })).toEqual(getKeys({ ...row, email }));
    },
  );
});

it.each([
  ['mia@campus.test', 'mia@campus.test'],
  ['Mia@CAMPUS.test', 'mia@campus.test'],
  ['mia+a@campus.test', 'mia@campus.test'],
  ['mia.m+a+b@campus.test', 'mia.m@campus.test'],
  ['mia+@campus.test', 'mia@campus.test'],
  ['m.i.a+x@Gmail.com', 'mia@gmail.com'],
  ['mia@googlemail.com', 'mia@gmail.com'],
  ['m.i.a@gmail.com.test', 'm.i.a@gmail.com.test'],
  ['"mia"@campus.test', 'mia@campus.test'],
  [String.raw`"m\ia+a"@campus.test`, 'mia@campus.test'],
  // No mailbox has a tag without a local part in front of it.
  ['+a@campus.test', '+a@campus.test'],
  ['++a@campus.test', '++a@campus.test'],
  ['mia@campus+a.test', 'mia@campus+a.test'],
  ['mia+a', 'mia+a'],
])('%s is delivered to %s', (email, mailbox) => {
  expect(getMailbox(email)).toBe(mailbox);
});

it('a flow expires before its budget is reset', () => {
  const { points, seconds } = LIMITS['email-of-flow'];
  expect(points * CODE_TTL_SECONDS).toBeLessThanOrEqual(seconds);
});
