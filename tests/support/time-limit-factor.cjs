// Loaded into every Node.js program under test: its limits of real time (lib/shared/time-limit.ts) are longer, because a machine can
// be slow and busy.
globalThis.timeLimitFactor = 10;
