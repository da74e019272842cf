// Threats: interleaved-change, recovery-email-abused
import { expect } from 'vitest';
import { RECOVERY_CHANGES, testBeside } from '../support/interleaved-changes';

const names = ['a recovery email added', 'a recovery email made the main one'];
const changes = names.map((name) => [name, RECOVERY_CHANGES[name] ?? (() => expect.unreachable(name))] as const);

testBeside(Object.fromEntries(changes), [
  'a password changed',
  'a second factor turned on',
  'a passkey added',
  'a sign-out everywhere',
  'a deletion requested',
]);
