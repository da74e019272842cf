// Every Node.js program under test loads this module. Its limits of real time (lib/shared/time-limit.ts) are longer,
// because a machine can be slow and busy.
globalThis.timeLimitFactor = 10;
