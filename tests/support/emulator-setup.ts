import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { createDatabase, findPostgres, startOwnPostgres } from '../../scripts/lib/postgres.mjs';
import { startEmulator, startMailbox } from '../../scripts/lib/services.mjs';
import { bundleRoutesProgram } from './routes-program';

declare module 'vitest' {
  interface ProvidedContext {
    emulatorHost: string;
    smtpUrl: string;
    mailboxUrl: string;
    /** Empty without PostgreSQL. The tests then use only the embedded database. */
    postgresUrl: string;
    /** Path of a program that serves the API routes in a separate process. */
    routesProgram: string;
  }
}

/** Starts one Auth emulator, one mailbox and one PostgreSQL server for all integration tests, on free ports. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'integration-'));
  const [port = 0, smtpPort = 0, webPort = 0] = await freePorts(3);
  const hasPostgres = findPostgres() !== undefined;
  if (!hasPostgres) console.log('PostgreSQL is not installed: records are tested on the embedded database alone.');
  const [emulator, mailbox, postgres, routesProgram] = await Promise.all([
    startEmulator({ port, dir }),
    startMailbox({ smtpPort, webPort, dir }),
    hasPostgres ? startMigratedPostgres() : null,
    bundleRoutesProgram(),
  ]);
  project.provide('emulatorHost', emulator.host);
  project.provide('smtpUrl', mailbox.smtpUrl);
  project.provide('mailboxUrl', mailbox.url);
  project.provide('postgresUrl', postgres?.url ?? '');
  project.provide('routesProgram', routesProgram);
  process.env.FIREBASE_AUTH_EMULATOR_HOST = emulator.host;
  return async () => {
    await Promise.all([emulator.stop(), mailbox.stop(), postgres?.stop()]);
    await Promise.all([dir, routesProgram].map((each) => rm(each, { recursive: true, force: true })));
  };
}

/**
 * Also creates the template of all databases. The source loader that migrates it must not run in a process that runs
 * tests.
 */
async function startMigratedPostgres() {
  const server = await startOwnPostgres();
  await createDatabase(server.url);
  return server;
}
