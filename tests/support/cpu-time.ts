import { afterAll } from 'vitest';
import { getTreeCpuMs } from '../../scripts/lib/cpu-time.mjs';

declare module 'vitest' {
  interface TaskMeta {
    /** CPU time of the test file and the programs that it started, in milliseconds. */
    cpuMs?: number;
  }
}

const counted = globalThis as { cpuMsOfEarlierFiles?: number };

// This hook is registered first, so it runs after the test file's hooks.
afterAll(({}, file) => {
  const cpuMs = getTreeCpuMs(process.pid);
  file.meta.cpuMs = cpuMs - (counted.cpuMsOfEarlierFiles ?? 0);
  counted.cpuMsOfEarlierFiles = cpuMs;
});
