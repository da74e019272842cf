import { rmSync } from 'node:fs';
import path from 'node:path';
import { startPlatform } from './app.mjs';
import { forgetDemo, rememberDemo, runningDemo, stopLeftovers } from './demo-state.mjs';
import { summary } from './demo-summary.mjs';
import { startEmulator } from './emulator.mjs';
import { installDependencies } from './install.mjs';
import { localEnv } from './local-env.mjs';
import { mailboxAddresses, startMailbox } from './mailbox.mjs';
import { readLocalPorts, refuseTakenPorts } from './local-ports.mjs';
import { root } from './paths.mjs';
import { stopAllServices, stopServicesOnExit } from './processes.mjs';

const projectId = 'demo-campus';

/**
 * @typedef {ReturnType<typeof readLocalPorts>} Ports
 * @typedef {{ port: number, dir: string, env: Record<string, string> }} AppOptions
 * @typedef {{ name: 'demo' | 'dev', ports?: Record<string, number>, build?: (dir: string) => Promise<unknown>,
 *   startApp: (options: AppOptions) => Promise<{ service: import('./processes.mjs').Service }> }} Run
 *   `name`: the command, also of its script and of its log and data folder; `ports`: besides the default ones;
 *   `build`: runs before anything starts
 */

/**
 * Installs and starts everything the product needs on this machine, prints how to try it, and runs until Ctrl-C.
 * @param {Run} run
 */
export async function runLocally({ name, ports: morePorts = {}, build, startApp }) {
  const dir = path.join(root, `.${name}`);
  const script = `${name}.mjs`;
  const ports = readLocalPorts(process.env);
  const other = runningDemo(dir, script);
  if (other)
    throw new Error(
      `npm run ${name} is running already: ${other.appOrigin} (process ${other.pid}). Stop that one first.`,
    );
  stopLeftovers(dir);
  await refuseTakenPorts({ ...ports, ...morePorts });

  installDependencies();
  let stopping = false;
  stopServicesOnExit(() => {
    stopping = true;
    console.log('\nStopping…');
  }, 0);
  process.on('exit', () => forgetDemo(dir));
  rmSync(dir, { recursive: true, force: true });
  await build?.(dir);
  try {
    const { services, text, appOrigin } = await startAll(ports, dir, startApp);
    rememberDemo(dir, { pid: process.pid, appOrigin, services: services.map(({ pid }) => pid) });
    console.log(text);
    const ended = await Promise.race(services.map((service) => service.exited.then(() => service)));
    if (stopping) return;
    throw new Error(`${ended.name} ended by itself; see ${path.relative(root, ended.logFile)}`);
  } finally {
    await stopAllServices();
  }
}

/** @param {Ports} ports @param {string} dir @param {Run['startApp']} startApp */
async function startAll(ports, dir, startApp) {
  console.log('Starting the identity provider, the mailbox, the app and the platform…');
  const appOrigin = `http://localhost:${ports.APP_PORT}`;
  const platformOrigin = `http://localhost:${ports.PLATFORM_PORT}`;
  const mailboxPorts = { smtpPort: ports.SMTP_PORT, webPort: ports.MAILBOX_PORT };
  const { smtpUrl, url: mailboxUrl } = mailboxAddresses(mailboxPorts);
  const emulatorHost = `localhost:${ports.EMULATOR_PORT}`;
  const env = localEnv({ appOrigin, platformOrigin, emulatorHost, smtpUrl, projectId });
  // Start all in parallel: no service calls another during startup.
  const started = await Promise.all([
    startSeededEmulator(ports.EMULATOR_PORT, dir),
    startMailbox({ ...mailboxPorts, dir }),
    startApp({ port: ports.APP_PORT, dir, env }),
    startPlatform({ port: ports.PLATFORM_PORT, identityOrigin: appOrigin, dir }),
  ]);
  return {
    services: started.map(({ service }) => service),
    appOrigin,
    text: summary({ appOrigin, platformOrigin, mailboxUrl, emulatorHost, env, logs: `${path.basename(dir)}/` }),
  };
}

/** @param {number} port @param {string} dir */
async function startSeededEmulator(port, dir) {
  const emulator = await startEmulator({ port, projectId, dir: path.join(dir, 'emulator') });
  // Import lazily: its dependencies are only installed at this point.
  const { seed } = await import('./seed.mjs');
  await seed({ host: emulator.host, projectId });
  return emulator;
}
