import { afterAll, inject } from 'vitest';
import { sampleFiles } from '../../scripts/lib/paths.mjs';
import { clearRecords, endRecords } from './file-database';
import { longLimits } from './time-limits';

// Each test file sets this before the configuration is read.
process.env.FIREBASE_AUTH_EMULATOR_HOST = inject('emulatorHost');
process.env.SMTP_URL = inject('smtpUrl');
Object.assign(process.env, sampleFiles);
Object.assign(process.env, await clearRecords(inject('postgresUrl')));
process.env.SECOND_FACTOR_SECRET = Buffer.alloc(32, 'of the tests').toString('base64');
// Tests turn on a second factor hundreds of times. recovery-codes.test.ts uses the cost of production.
process.env.RECOVERY_CODE_COST = '4';
// Proof of work is off, because all calls of the tests come from one client network. proof-of-work.test.ts turns it on.
process.env.PROOF_OF_WORK = '0';
process.env.LOG_LEVEL = 'silent';
Object.assign(process.env, longLimits);
globalThis.timeLimitFactor = 10;

afterAll(endRecords);
