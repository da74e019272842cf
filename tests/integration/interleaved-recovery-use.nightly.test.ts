// Threats: interleaved-change, recovery-email-abused
import { expect } from 'vitest';
import { RECOVERY_CHANGES, testBeside } from '../support/interleaved-changes';

const name = 'a recovery email made the main one';
testBeside({ [name]: RECOVERY_CHANGES[name] ?? (() => expect.unreachable(name)) }, [
  'the email changed',
  'a change of the email undone',
  'a password reset with a code',
]);
