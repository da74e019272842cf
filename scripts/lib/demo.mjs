import { rmSync } from 'node:fs';
import path from 'node:path';
import { buildApp, startApp, startPlatform } from './app.mjs';
import { forgetDemo, rememberDemo, runningDemo, stopLeftovers } from './demo-state.mjs';
import { summary } from './demo-summary.mjs';
import { startEmulator } from './emulator.mjs';
import { installDependencies } from './install.mjs';
import { localEnv } from './local-env.mjs';
import { startMailbox } from './mailbox.mjs';
import { root } from './paths.mjs';
import { holderOf, isPortFree } from './ports.mjs';
import { stopAllServices, stopServicesOnExit } from './processes.mjs';

const dir = path.join(root, '.demo');
const projectId = 'demo-campus';

/** Installs, builds and starts everything the product needs on this machine, and says how to try it. */
export async function runDemo() {
  const ports = readPorts(process.env);
  const other = runningDemo(dir);
  if (other)
    throw new Error(`The demo is running already: ${other.appOrigin} (process ${other.pid}). Stop that one first.`);
  stopLeftovers(dir);
  await refuseTakenPorts(ports);

  installDependencies();
  let stopping = false;
  stopServicesOnExit(() => {
    stopping = true;
    console.log('\nStopping…');
  }, 0);
  process.on('exit', () => forgetDemo(dir));
  rmSync(dir, { recursive: true, force: true });
  console.log('Building the app…');
  await buildApp({ distDir: '.next', dir });
  try {
    const { services, text, appOrigin } = await startAll(ports);
    rememberDemo(dir, { pid: process.pid, appOrigin, services: services.map(({ pid }) => pid) });
    console.log(text);
    const ended = await Promise.race(services.map((service) => service.exited.then(() => service)));
    if (stopping) return;
    throw new Error(`${ended.name} ended by itself; see ${path.relative(root, ended.logFile)}`);
  } finally {
    await stopAllServices();
  }
}

/** @typedef {ReturnType<typeof readPorts>} Ports */

/** @param {Record<string, string | undefined>} env */
function readPorts(env) {
  return {
    APP_PORT: portOf(env, 'APP_PORT', 3000),
    PLATFORM_PORT: portOf(env, 'PLATFORM_PORT', 3001),
    EMULATOR_PORT: portOf(env, 'EMULATOR_PORT', 9099),
    SMTP_PORT: portOf(env, 'SMTP_PORT', 1025),
    MAILBOX_PORT: portOf(env, 'MAILBOX_PORT', 1080),
  };
}

/** @param {Record<string, string | undefined>} env @param {string} name @param {number} usual @returns {number} */
function portOf(env, name, usual) {
  const port = Number(env[name] || usual);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`${name} must be a port number.`);
  return port;
}

/** @param {Ports} ports */
async function refuseTakenPorts(ports) {
  const entries = Object.entries(ports);
  const free = await Promise.all(entries.map(([, port]) => isPortFree(port)));
  const lines = entries.flatMap(([name, port], i) =>
    free[i] ? [] : [`Port ${port} is taken by ${holderOf(port)}. Free it, or choose another: ${name}=${port + 10_000}`],
  );
  if (lines.length > 0) throw new Error(lines.join('\n'));
  const [twice] = entries.filter(([, port], i) => entries.some(([, other], k) => k < i && other === port));
  if (twice) throw new Error(`Port ${twice[1]} is given twice; ${twice[0]} needs one of its own.`);
}

/** @param {Ports} ports */
async function startAll(ports) {
  console.log('Starting the identity provider, the mailbox, the app and the platform…');
  const [emulator, mailbox] = await Promise.all([
    startEmulator({ port: ports.EMULATOR_PORT, projectId, dir: path.join(dir, 'emulator') }),
    startMailbox({ smtpPort: ports.SMTP_PORT, webPort: ports.MAILBOX_PORT, dir }),
  ]);
  const { seed } = await import('./seed.mjs');
  await seed({ host: emulator.host, projectId });

  const appOrigin = `http://localhost:${ports.APP_PORT}`;
  const platformOrigin = `http://localhost:${ports.PLATFORM_PORT}`;
  const env = localEnv({ appOrigin, platformOrigin, emulatorHost: emulator.host, smtpUrl: mailbox.smtpUrl, projectId });
  const [app, platform] = await Promise.all([
    startApp({ port: ports.APP_PORT, distDir: '.next', dir, env }),
    startPlatform({ port: ports.PLATFORM_PORT, identityOrigin: appOrigin, dir }),
  ]);
  return {
    services: [emulator, mailbox, app, platform].map(({ service }) => service),
    appOrigin,
    text: summary({ appOrigin, platformOrigin, mailboxUrl: mailbox.url, emulatorHost: emulator.host, env }),
  };
}
