// Threats: interleaved-change, unproved-rename, unnoticed-sign-in
import { ACCOUNT_CHANGES, CELLS_OF_OWNER, testInterleaved } from '../support/interleaved-changes';

testInterleaved(ACCOUNT_CHANGES, CELLS_OF_OWNER);
