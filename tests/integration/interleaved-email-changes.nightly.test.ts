// Threats: interleaved-change, email-change-abused
import { EMAIL_CHANGES, testInterleaved } from '../support/interleaved-changes';

testInterleaved(EMAIL_CHANGES, [
  ['proved', 'email'],
  ['proved', 'password'],
  ['proved', 'link'],
]);
