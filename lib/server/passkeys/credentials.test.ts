import { expect, it } from 'vitest';
import { getAuthenticatorName } from './credentials';

it.each([
  ['ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4', 'Google Password Manager'],
  ['08987058-cadc-4b81-b6e1-30de50dcbe96', 'Windows Hello'],
  ['dd4ec289-e01d-41c9-bb89-70fa845d4bf2', 'iCloud Keychain'],
  ['00000000-0000-0000-0000-000000000000', null],
])('names the authenticator %s', (aaguid, name) => {
  expect(getAuthenticatorName(aaguid)).toBe(name);
});
