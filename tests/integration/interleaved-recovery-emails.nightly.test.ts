// Threats: interleaved-change, recovery-email-abused
import { RECOVERY_CHANGES, testInterleaved } from '../support/interleaved-changes';

testInterleaved(RECOVERY_CHANGES, [
  ['proved', 'email'],
  ['proved', 'password'],
]);
