import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { startEmulator, startMailbox } from '../../scripts/lib/services.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    emulatorHost: string;
    smtpUrl: string;
    mailboxUrl: string;
  }
}

/** One Auth emulator and one mailbox for all integration tests, on free ports. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'integration-'));
  const [port = 0, smtpPort = 0, webPort = 0] = await freePorts(3);
  const [emulator, mailbox] = await Promise.all([
    startEmulator({ port, dir }),
    startMailbox({ smtpPort, webPort, dir }),
  ]);
  project.provide('emulatorHost', emulator.host);
  project.provide('smtpUrl', mailbox.smtpUrl);
  project.provide('mailboxUrl', mailbox.url);
  process.env.FIREBASE_AUTH_EMULATOR_HOST = emulator.host;
  return async () => {
    await Promise.all([emulator.stop(), mailbox.stop()]);
    await rm(dir, { recursive: true, force: true });
  };
}
