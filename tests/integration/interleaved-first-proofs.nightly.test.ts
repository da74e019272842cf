// Threats: interleaved-change, pre-hijacking
import { FIRST_PROOFS, testInterleaved } from '../support/interleaved-changes';

testInterleaved(FIRST_PROOFS, [
  ['foreign', 'email'],
  ['foreign', 'password'],
  ['foreign', 'link'],
]);
