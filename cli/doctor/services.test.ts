import { expect, test } from 'vitest';
import { requiresEncryption } from './services';

test.each([
  ['smtps://user:password@mail.campus.example', true],
  ['smtp://user:password@mail.campus.example:587?requireTLS=true', true],
  ['smtp://user:password@mail.campus.example:587?requireTLS=false', false],
  ['smtp://user:password@mail.campus.example:587', false],
  ['smtp://10.0.0.3', false],
  ['smtp://localhost:1025', true],
  ['smtp://127.0.0.1:1025', true],
])('whether emails to %s leave this machine encrypted in any case: %s', (address, isRequired) => {
  expect(requiresEncryption(address)).toBe(isRequired);
});
