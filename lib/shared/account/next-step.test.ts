import { expect, it } from 'vitest';
import { listNextSteps, type NextStep } from './next-step';

const linked = (...ids: string[]) => ({ methods: ids.map((id) => ({ id, email: null, usable: true })) });
const aPasskey = {
  id: 'a',
  name: null,
  provider: null,
  isSynced: true,
  isSuspect: false,
  createdAt: '2026-11-30T09:00:00.000Z',
  lastUsedAt: null,
};
const withPasskey = { passkeys: [aPasskey], signal: null };
const app = { id: 'app-1', name: null, createdAt: '2026-11-30T09:00:00.000Z', lastUsedAt: null };
const on = { apps: [app], codesLeft: 10, endsAt: null };
const off = { apps: [], codesLeft: 0, endsAt: null };
const signIn = { id: 'a', at: '2026-11-30T09:00:00.000Z', browser: null, system: null };

/** An account that has everything. */
const complete: Parameters<typeof listNextSteps>[0] = {
  account: linked('password'),
  deletion: { effectiveAt: null },
  recovery: { email: 'mia@home.test' },
  signIns: [],
  passkeys: withPasskey,
  secondFactor: on,
};
const noPasskey = { passkeys: [], signal: null };

it.each<[string, Partial<typeof complete>, NextStep[]]>([
  ['has everything', {}, ['done']],
  [
    'has nothing',
    { passkeys: noPasskey, secondFactor: off, recovery: { email: null } },
    ['passkey', 'two-step', 'recovery'],
  ],
  ['has a passkey', { secondFactor: off, recovery: { email: null } }, ['two-step', 'recovery']],
  ['has no password to protect', { account: linked('google.com'), secondFactor: off }, ['done']],
  ['has no recovery email', { recovery: { email: null } }, ['recovery']],
  ['is at an origin without passkeys', { passkeys: null, secondFactor: off }, ['two-step']],
  ['is at an origin without two steps', { secondFactor: null, recovery: { email: null } }, ['recovery']],
  ['is at another deployment', { deletion: null, recovery: null, passkeys: null, secondFactor: null }, ['done']],
  ['cannot be read', { passkeys: 'unavailable' }, []],
  ['will be deleted', { passkeys: noPasskey, deletion: { effectiveAt: '2026-12-07T09:00:00.000Z' } }, []],
  ['may be deleted', { passkeys: noPasskey, deletion: 'unavailable' }, []],
  ['is being reset', { passkeys: noPasskey, secondFactor: { ...on, endsAt: '2026-12-03T09:00:00.000Z' } }, []],
  ['has one code left', { passkeys: noPasskey, secondFactor: { ...on, codesLeft: 1 } }, []],
  ['has two codes left', { passkeys: noPasskey, secondFactor: { ...on, codesLeft: 2 } }, ['passkey']],
  ['has a sign-in to check', { passkeys: noPasskey, signIns: [signIn] }, []],
])('the next steps of an account that %s', (_what, facts, steps) => {
  expect(listNextSteps({ ...complete, ...facts })).toEqual(steps);
});
