// Threats: interleaved-change, planted-factor
import { CELLS_OF_OWNER, FACTOR_CHANGES, testInterleaved } from '../support/interleaved-changes';

testInterleaved(FACTOR_CHANGES, CELLS_OF_OWNER);
