import { expect } from '@playwright/test';
import { mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Endpoints } from './stack';

/**
 * Another deployment of the app beside the shared one, with the same accounts and platform.
 * @param variables overrides of the local default
 */
export async function startOtherApp(endpoints: Endpoints, variables: Record<string, string>) {
  const [{ startApp }, { localEnv }, { freePorts }, { testDistDir }] = await Promise.all([
    import('../../scripts/lib/app.mjs'),
    import('../../scripts/lib/local-env.mjs'),
    import('../../scripts/lib/ports.mjs'),
    import('../../scripts/lib/test-steps.mjs'),
  ]);
  const [port = 0] = await freePorts(1);
  const appOrigin = `http://localhost:${port}`;
  const env = { ...localEnv({ ...endpoints, appOrigin }), ...variables };
  const app = await startApp({ port, distDir: testDistDir, dir: mkdtempSync(path.join(os.tmpdir(), 'app-')), env });
  return {
    endpoints: { ...endpoints, appOrigin },
    service: app.service,
    adminToken: env.ADMIN_TOKEN ?? '',
    stop: app.stop,
  };
}

/** Another app, whose clock can be shifted. */
export async function startTimedApp(shared: Endpoints, seconds = 0) {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'clock-')), 'offset');
  const preload = path.resolve('tests/support/clock.cjs');
  const taken = `${file}.taken`;
  const move = (by: number) => {
    // Replace atomically: the app may be reading the file.
    writeFileSync(`${file}.new`, String(by * 1000));
    renameSync(`${file}.new`, file);
  };
  move(seconds);
  const app = await startOtherApp(shared, { CLOCK_FILE: file, NODE_OPTIONS: `--require ${preload}` });
  const advance = async (by: number) => {
    move(by);
    await expect.poll(() => readFileSync(taken, 'utf8')).toBe(String(by * 1000));
  };
  return { ...app, advance };
}
