import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { emailJobs } from '@/lib/server/notifications/outbox/send-due';
import { getRecords } from '@/lib/server/storage/records';
import { isRecordsError } from '@/lib/server/storage/records/errors';
import { runJobs, waitForRound, wantRound } from '@/lib/server/storage/records/jobs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { startService, waitUntilReady } from '../../scripts/lib/processes.mjs';
import { serveRoutes, type RunningRoutes } from './routes';

/**
 * Serves the API routes for the tests of one file, and sends the outbox's notices. The origin is known when the tests
 * begin.
 */
export function servedRoutes(): Pick<RunningRoutes, 'origin'> {
  let app: RunningRoutes;
  let sending = Promise.resolve();
  let isOver = false;
  // Works like a running app, except for the other background work.
  const send = async () => {
    try {
      await runJobs(await getRecords(), emailJobs);
    } catch (error) {
      // A test has stopped its database.
      if (!isRecordsError(error)) throw error;
    }
  };
  const sendWhenWanted = async () => {
    while (!isOver) {
      await waitForRound('outbox', 60_000);
      await send();
    }
  };
  beforeAll(async () => {
    app = await serveRoutes();
    sending = sendWhenWanted();
  });
  afterAll(async () => {
    await app.close();
    // Wait before the database of this file is closed.
    isOver = true;
    wantRound('outbox');
    await sending;
  });
  return {
    get origin() {
      return app.origin;
    },
  };
}

export type RoutesProcess = { origin: string; logFile: string; stop: () => Promise<void> };

/** Serves the API routes in another process, as another deployment or as another process behind the same domain. */
export async function startRoutesProcess(variables: Record<string, string> = {}): Promise<RoutesProcess> {
  const [port = 0] = await freePorts(1);
  const logDir = mkdtempSync(path.join(os.tmpdir(), 'routes-'));
  // An embedded database serves one process.
  const env = { ...process.env, DATABASE_FOLDER: path.join(logDir, 'records'), ...variables };
  const service = startService('routes', [process.execPath, inject('routesProgram'), String(port)], { env, logDir });
  const origin = `http://localhost:${port}`;
  await waitUntilReady(service, origin);
  return {
    origin,
    logFile: service.logFile,
    stop: async () => {
      if (!service.isRunning()) throw new Error(`It ended by itself; see ${service.logFile}`);
      await service.stop();
    },
  };
}
