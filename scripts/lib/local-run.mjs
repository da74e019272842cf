import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildApp, startApp, startPlatform } from './app.mjs';
import { startEmulator } from './emulator.mjs';
import { localEnv } from './local-env.mjs';
import { startMailbox } from './mailbox.mjs';
import { installed, root } from './paths.mjs';
import { isPortFree } from './ports.mjs';
import { startService, stopAllServices, stopServicesOnExit, waitUntilReady } from './processes.mjs';
import { SAMPLE_PASSWORD, sampleUsers } from './sample-users.mjs';
import { seed } from './seed.mjs';

const PORTS = { APP_PORT: 3000, PLATFORM_PORT: 3001, EMULATOR_PORT: 9099, SMTP_PORT: 1025, MAILBOX_PORT: 1080 };
const projectId = 'demo-campus';
const distDir = '.next';

/** @typedef {{ port: number, dir: string, env: Record<string, string> }} AppOptions */

/** Builds the app as it is deployed, and runs it with all services it needs. */
export async function runDemo() {
  const ports = await choosePorts(PORTS);
  return runLocally(
    'demo',
    ports,
    async (options) => startApp({ distDir, ...options }),
    (dir) => {
      console.log('Building the app…');
      return buildApp({ distDir, dir });
    },
  );
}

/**
 * Runs the app in watch mode with all services it needs.
 * @param {string[]} args `--inspect`: lets a debugger attach to the server
 */
export async function runDev(args) {
  const { inspect } = parseArgs({ args, options: { inspect: { type: 'boolean' } } }).values;
  const { INSPECT_PORT = 0, ...ports } = await choosePorts({ ...PORTS, ...(inspect && { INSPECT_PORT: 9229 }) });
  const debug = inspect ? ['--inspect', String(INSPECT_PORT)] : [];
  return runLocally('dev', ports, async ({ port, dir, env: more }) => {
    // Use Turbopack, as the build does: next.config.js has its replacements in `turbopack.resolveAlias`, which webpack
    // does not read.
    const next = [installed('next/dist/bin/next'), 'dev', '--turbopack', '--port', String(port), ...debug];
    const env = { ...process.env, NODE_ENV: 'development', NEXT_TELEMETRY_DISABLED: '1', ...more };
    const service = startService('app', [process.execPath, ...next], { cwd: root, env, logDir: dir });
    // Compiles the sign-in page before the first request.
    await waitUntilReady(service, `http://127.0.0.1:${port}/sign-in`);
    return { service };
  });
}

/**
 * @template {Record<string, number>} P
 * @param {P} usual by the variable that overrides it
 * @returns {Promise<P>}
 * @throws Error that names the ports in use, and how to choose others
 */
async function choosePorts(usual) {
  const ports = Object.entries(usual).map(([name, port]) => ({ name, port: Number(process.env[name] || port) }));
  const problems = ports.map(async ({ name, port }, i) => {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return `${name} must be a port number.`;
    if (ports.findIndex((other) => other.port === port) < i) return `Port ${port} is given twice; ${name} needs one of its own.`; // prettier-ignore
    return (await isPortFree(port)) ? [] : `Port ${port} is taken; choose another: ${name}=${(port + 10_000) % 65_536}`;
  });
  const found = (await Promise.all(problems)).flat();
  if (found.length > 0) throw new Error(found.join('\n'));
  return /** @type {P} */ (Object.fromEntries(ports.map(({ name, port }) => [name, port])));
}

/**
 * Starts everything the product needs on this machine, prints how to try it, and runs until Ctrl-C.
 * @param {'demo' | 'dev'} name also of the folder for logs
 * @param {typeof PORTS} ports
 * @param {(options: AppOptions) => Promise<{ service: import('./processes.mjs').Service }>} start
 * @param {(dir: string) => Promise<unknown>} [build] runs before anything starts
 */
async function runLocally(name, ports, start, build) {
  const dir = path.join(root, `.${name}`);
  let stopping = false;
  stopServicesOnExit(() => {
    stopping = true;
    console.log('\nStopping…');
  }, 0);
  rmSync(dir, { recursive: true, force: true });
  await build?.(dir);
  try {
    const services = await startAll(ports, dir, start);
    const ended = await Promise.race(services.map((service) => service.exited.then(() => service)));
    if (!stopping) throw new Error(`${ended.name} ended by itself; see ${path.relative(root, ended.logFile)}`);
  } finally {
    await stopAllServices();
  }
}

/** @param {typeof PORTS} ports @param {string} dir @param {Parameters<typeof runLocally>[2]} start */
async function startAll(ports, dir, start) {
  console.log('Starting the identity provider, the mailbox, the app and the platform…');
  const at = (/** @type {number} */ port) => `http://localhost:${port}`;
  const [appOrigin, platformOrigin] = [at(ports.APP_PORT), at(ports.PLATFORM_PORT)];
  const [emulatorHost, smtpUrl] = [`localhost:${ports.EMULATOR_PORT}`, `smtp://127.0.0.1:${ports.SMTP_PORT}`];
  const env = localEnv({ appOrigin, platformOrigin, emulatorHost, smtpUrl, projectId });
  // Start all in parallel: no service calls another during startup.
  const started = await Promise.all([
    startEmulator({ port: ports.EMULATOR_PORT, projectId, dir: path.join(dir, 'emulator') }).then(async (emulator) => {
      await seed({ host: emulator.host, projectId });
      return emulator;
    }),
    startMailbox({ smtpPort: ports.SMTP_PORT, webPort: ports.MAILBOX_PORT, dir }),
    start({ port: ports.APP_PORT, dir, env }),
    startPlatform({ port: ports.PLATFORM_PORT, identityOrigin: appOrigin, dir }),
  ]);
  console.log(`
  Start here        ${platformOrigin}/user/dashboard   (the learning platform: sends you to sign in and back)
  Sign in           ${appOrigin}/sign-in
  Mailbox           ${at(ports.MAILBOX_PORT)}   (every mail the app sends)
  Auth emulator     http://${emulatorHost}

  Sample users, password ${SAMPLE_PASSWORD} where they have one
${sampleUsers.map(({ email, about }) => `    ${email.padEnd(24)} ${about}`).join('\n')}

  Admin token       ${env.ADMIN_TOKEN}
  Logs              ${path.basename(dir)}/

  Ctrl-C stops everything.
`);
  return started.map(({ service }) => service);
}
