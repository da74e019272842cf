import { expect, it } from 'vitest';
import { getSuspectMethods } from './disavow';

const EMAIL = 'owner@campus.test';

it.each([
  [
    'one that was connected since',
    ['password', 'google.com'],
    ['password', 'google.com'],
    ['google.com'],
    ['google.com'],
  ],
  ['one that was never seen before', ['password', 'google.com'], ['password'], [], ['google.com']],
  ['a password that was connected since', ['password', 'google.com'], ['google.com'], ['password'], ['password']],
  ['one that is gone again', ['password'], ['password'], ['google.com'], []],
  ['those from before', ['password', 'google.com'], ['password', 'google.com'], [], []],
  ['all, when they were never read', ['password', 'google.com'], null, [], []],
])('of %s', (_, ids, known, connected, suspect) => {
  const present = ids.map((id) => ({ id, email: EMAIL }));
  expect(getSuspectMethods({ email: EMAIL, present, known, connected })).toEqual(suspect);
});

it.each([
  ['another@campus.test', ['google.com']],
  [null, ['google.com']],
  [EMAIL, []],
])('of an identity with the email %s', (email, suspect) => {
  const present = [
    { id: 'password', email: null },
    { id: 'google.com', email },
  ];
  const known = ['password', 'google.com'];
  expect(getSuspectMethods({ email: EMAIL, present, known, connected: [] })).toEqual(suspect);
});
