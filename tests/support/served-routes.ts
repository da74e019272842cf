import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { startService, waitUntilReady } from '../../scripts/lib/processes.mjs';
import { serveRoutes, type RunningRoutes } from './routes';

/** Serves the API routes while the tests of one file run. The origin is known when they begin. */
export function servedRoutes(): Pick<RunningRoutes, 'origin'> {
  let app: RunningRoutes;
  beforeAll(async () => {
    app = await serveRoutes();
  });
  afterAll(() => app.close());
  return {
    get origin() {
      return app.origin;
    },
  };
}

export type RoutesProcess = { origin: string; logFile: string; stop: () => Promise<void> };

/** Serves the API routes in another process: another deployment, or another process behind the same domain. */
export async function startRoutesProcess(variables: Record<string, string> = {}): Promise<RoutesProcess> {
  const [port = 0] = await freePorts(1);
  const env = { ...process.env, ...variables };
  const logDir = mkdtempSync(path.join(os.tmpdir(), 'routes-'));
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
