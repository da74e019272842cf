import { beforeEach, expect, test } from 'vitest';
import { changeRememberedAccount, forgetAccount, getRememberedAccounts, rememberAccount } from './remembered-accounts';

const getUser = (name: string) => ({ uid: `uid-${name}`, email: `${name}@campus.test`, displayName: name });
const getNames = () => getRememberedAccounts().map(({ name }) => name);

beforeEach(() => {
  localStorage.clear();
  document.cookie = 'shared-computer=; max-age=0';
});

test('the account used last comes first, once, with its latest method', () => {
  rememberAccount(getUser('ada'), 'password');
  rememberAccount(getUser('sol'), 'google.com');
  rememberAccount(getUser('ada'), 'passkey');
  expect(getRememberedAccounts()).toEqual([
    { uid: 'uid-ada', email: 'ada@campus.test', name: 'ada', method: 'passkey' },
    { uid: 'uid-sol', email: 'sol@campus.test', name: 'sol', method: 'google.com' },
  ]);
});

test('an account that was deleted and created again with the same email is in the list once', () => {
  rememberAccount(getUser('ada'), 'password');
  rememberAccount({ ...getUser('ada'), uid: 'uid-new' }, 'password');
  expect(getRememberedAccounts().map(({ uid }) => uid)).toEqual(['uid-new']);
});

test('five accounts are kept', () => {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) rememberAccount(getUser(name), 'password');
  expect(getNames()).toEqual(['f', 'e', 'd', 'c', 'b']);
});

test('a shared computer remembers and shows none', () => {
  rememberAccount(getUser('ada'), 'password');
  document.cookie = 'shared-computer=1';
  rememberAccount(getUser('sol'), 'password');
  expect(getNames()).toEqual([]);
  document.cookie = 'shared-computer=; max-age=0';
  expect(getNames()).toEqual(['ada']);
});

test('a removed account leaves nothing behind', () => {
  rememberAccount(getUser('ada'), 'password');
  expect(forgetAccount('uid-ada')).toEqual([]);
  expect(localStorage).toHaveLength(0);
});

test.each(['{', 'null', '{}', '[1, null, {"uid": 1}]'])('%s in the storage is no account', (text) => {
  localStorage.setItem('remembered-accounts', text);
  expect(getNames()).toEqual([]);
});

test('a changed method is that of its account alone, and adds no account', () => {
  rememberAccount(getUser('ada'), 'password');
  rememberAccount(getUser('sol'), 'google.com');
  changeRememberedAccount('ada@campus.test', { method: 'passkey' });
  changeRememberedAccount('new@campus.test', { method: 'passkey' });
  expect(getRememberedAccounts().map(({ name, method }) => [name, method])).toEqual([
    ['sol', 'google.com'],
    ['ada', 'passkey'],
  ]);
});
