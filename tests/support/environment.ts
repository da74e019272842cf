import { inject } from 'vitest';

// Before anything reads the configuration: each test file is a process of its own.
process.env.FIREBASE_AUTH_EMULATOR_HOST = inject('emulatorHost');
process.env.SMTP_URL = inject('smtpUrl');
process.env.LOG_LEVEL = 'silent';
