import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmulator } from '../../scripts/lib/emulator.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    emulatorHost: string;
  }
}

/** One Auth emulator for all integration tests, on a free port. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'integration-'));
  const [port = 0] = await freePorts(1);
  const emulator = await startEmulator({ port, projectId: 'demo-campus', dir });
  project.provide('emulatorHost', emulator.host);
  process.env.FIREBASE_AUTH_EMULATOR_HOST = emulator.host;
  return async () => {
    await emulator.stop();
    await rm(dir, { recursive: true, force: true });
  };
}
