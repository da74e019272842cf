import { inject } from 'vitest';
import { sampleFiles } from '../../scripts/lib/paths.mjs';
import { longLimits } from './time-limits';

// Set before the configuration is read, by each test file for itself.
process.env.FIREBASE_AUTH_EMULATOR_HOST = inject('emulatorHost');
process.env.SMTP_URL = inject('smtpUrl');
Object.assign(process.env, sampleFiles);
// Test files run at the same time, and one folder serves one process.
process.env.DATABASE_FOLDER = 'off';
process.env.SECOND_FACTOR_SECRET = Buffer.alloc(32, 'of the tests').toString('base64');
// They turn a second factor on hundreds of times; recovery-codes.test.ts has the cost of production.
process.env.RECOVERY_CODE_COST = '4';
// All their calls come from one client network; proof-of-work.test.ts has it on.
process.env.PROOF_OF_WORK = '0';
process.env.LOG_LEVEL = 'silent';
Object.assign(process.env, longLimits);
globalThis.timeLimitFactor = 10;
