import { afterAll } from 'vitest';
import { getTreeCpuMs } from '../../scripts/lib/cpu-time.mjs';

declare module 'vitest' {
  interface TaskMeta {
    /** CPU time of the test file with the programs that it started, in milliseconds. */
    cpuMs?: number;
  }
}

const counted = globalThis as { cpuMsOfEarlierFiles?: number };

// The first hook of its kind, so it runs after those of the test file.
afterAll(({}, file) => {
  const cpuMs = getTreeCpuMs(process.pid);
  file.meta.cpuMs = cpuMs - (counted.cpuMsOfEarlierFiles ?? 0);
  counted.cpuMsOfEarlierFiles = cpuMs;
});
