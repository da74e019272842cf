import { rmSync } from 'node:fs';
import path from 'node:path';
import { buildApp, startApp, startPlatform } from './app.mjs';
import { startEmulator } from './emulator.mjs';
import { localEnv } from './local-env.mjs';
import { startMailbox } from './mailbox.mjs';
import { makeGate } from './gate.mjs';
import { freePorts } from './ports.mjs';
import { seed } from './seed.mjs';
import { runDir, testDistDir } from './test-steps.mjs';

/**
 * @typedef {{ appOrigin: string, platformOrigin: string, mailboxUrl: string, emulatorHost: string,
 *   smtpUrl: string, projectId: string, adminToken: string }} Endpoints plain data, passed from the setup to the workers
 * @typedef {{ endpoints: Endpoints, appLog: string, stop: () => Promise<void>,
 *   provider: { stop: () => Promise<void>, start: () => Promise<void> } }} Stack
 *   `appLog`: file with the app's output
 *   `provider`: makes the identity provider unreachable and reachable again; restarting the emulator would revoke
 *   every session, as it does for all accounts it imports
 */

/**
 * Starts the whole product on free ports: emulator, mailbox, the built app, the example platform.
 * @param {{ name: string, env?: Record<string, string> }} options `name`: folder name for logs and
 *   data; `env`: overrides of the local default
 * @returns {Promise<Stack>}
 */
export async function startStack({ name, env: more = {} }) {
  await buildApp({ distDir: testDistDir, dir: runDir });
  const dir = path.join(runDir, name);
  rmSync(dir, { recursive: true, force: true });
  const projectId = 'demo-campus';
  const [app = 0, platform = 0, emulatorPort = 0, smtpPort = 0, webPort = 0, gatePort = 0] = await freePorts(6);
  const emulatorOptions = { port: emulatorPort, projectId, dir: path.join(dir, 'emulator') };

  const [emulator, mailbox] = await Promise.all([
    startEmulator(emulatorOptions),
    startMailbox({ smtpPort, webPort, dir }),
  ]);
  await seed({ host: emulator.host, projectId });
  const gate = makeGate({ port: gatePort, target: emulatorPort });
  await gate.open();

  const endpoints = {
    appOrigin: `http://localhost:${app}`,
    platformOrigin: `http://localhost:${platform}`,
    mailboxUrl: mailbox.url,
    smtpUrl: mailbox.smtpUrl,
    emulatorHost: `localhost:${gatePort}`,
    projectId,
  };
  const env = { ...localEnv(endpoints), ...more };
  const services = await Promise.all([
    startApp({ port: app, distDir: testDistDir, dir, env }),
    startPlatform({ port: platform, identityOrigin: endpoints.appOrigin, dir }),
  ]);

  return {
    endpoints: { ...endpoints, adminToken: env.ADMIN_TOKEN ?? '' },
    appLog: path.join(dir, 'app.log'),
    provider: { stop: gate.close, start: gate.open },
    stop: async () => {
      await Promise.all([...services, mailbox].map((service) => service.stop()));
      await gate.close();
      await emulator.stop();
    },
  };
}
