import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildApp, startApp } from './app.mjs';
import { installed, root } from './paths.mjs';
import { isPortFree } from './ports.mjs';
import { startService, stopAllServices, stopServicesOnExit, waitUntilReady } from './processes.mjs';
import { SAMPLE_PASSWORD, sampleUsers } from './sample-users.mjs';
import { PORTS, startServices } from './stack.mjs';

const distDir = '.next';

/** `LOCALES` with every language that the app has, as a learner's choice. English is the default. */
const getAllLocales = () => ['en', ...readdirSync(path.join(root, 'locales')).filter(isOtherLocale)].join(',');
const isOtherLocale = (/** @type {string} */ name) => name !== 'en' && !name.startsWith('.');

/** Builds the app for production and runs it with all services it needs. */
export async function runDemo() {
  const build = (/** @type {string} */ dir) => {
    console.log('Building the app…');
    return buildApp({ distDir, dir });
  };
  await runLocally('demo', await choosePorts(PORTS), (options) => startApp({ distDir, ...options }), build);
}

/**
 * Runs the app in watch mode with all services it needs.
 * @param {string[]} args `--inspect` lets a debugger attach to the server
 */
export async function runDev(args) {
  const { inspect } = parseArgs({ args, options: { inspect: { type: 'boolean' } } }).values;
  const { INSPECT_PORT = 0, ...ports } = await choosePorts({ ...PORTS, ...(inspect && { INSPECT_PORT: 9229 }) });
  const debug = inspect ? ['--inspect', String(INSPECT_PORT)] : [];
  /** @param {import('./app.mjs').AppOptions} options */
  const start = async ({ port, dir, env: more }) => {
    // Use Turbopack, as the build does. The replacements in next.config.js are in `turbopack.resolveAlias`, which
    // webpack does not read.
    const next = [installed('next/dist/bin/next'), 'dev', '--turbopack', '--port', String(port), ...debug];
    const records = { DATABASE_FOLDER: path.join(dir, 'records') };
    const env = { NODE_ENV: 'development', NEXT_TELEMETRY_DISABLED: '1', HOSTNAME: '0.0.0.0', ...records, ...more };
    const service = startService('app', [process.execPath, ...next], { cwd: root, env, logDir: dir });
    // Compiles the sign-in page before the first request.
    await waitUntilReady(service, `http://127.0.0.1:${port}/sign-in`);
    return service;
  };
  await runLocally('dev', ports, start);
}

/**
 * @template {Record<string, number>} P
 * @param {P} usual the default ports, by the variable that overrides each
 * @returns {Promise<P>}
 * @throws Error that names the ports in use, and how to choose others
 */
export async function choosePorts(usual) {
  const ports = Object.entries(usual).map(([name, port]) => ({ name, port: Number(process.env[name] || port) }));
  const problems = ports.map(async ({ name, port }, i) => {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return `${name} must be a port number.`;
    if (ports.findIndex((other) => other.port === port) < i)
      return `Port ${port} is given twice; ${name} needs one of its own.`;
    return (await isPortFree(port)) ? [] : `Port ${port} is taken; choose another: ${name}=${(port + 10_000) % 65_536}`;
  });
  const found = (await Promise.all(problems)).flat();
  if (found.length > 0) throw new Error(found.join('\n'));
  return /** @type {P} */ (Object.fromEntries(ports.map(({ name, port }) => [name, port])));
}

/**
 * Starts the product, prints how to try it, and runs until Ctrl-C.
 * @param {'demo' | 'dev'} name also names the folder for logs
 * @param {typeof PORTS} ports
 * @param {(options: import('./app.mjs').AppOptions) => ReturnType<typeof startApp>} start
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
    console.log('Starting the identity provider, the mailbox, the app and the platform…');
    const { endpoints, app, others } = await startServices({ ports, dir, start, env: { LOCALES: getAllLocales() } });
    printGuide(endpoints, path.basename(dir));
    const ended = await Promise.race([app, ...others].map((service) => service.exited.then(() => service)));
    if (!stopping) throw new Error(`${ended.name} ended by itself; see ${path.relative(root, ended.logFile)}`);
  } finally {
    await stopAllServices();
  }
}

/** @param {import('./stack.mjs').Endpoints} endpoints @param {string} logs */
function printGuide(
  { appOrigin, platformOrigin, schoolOrigin, checkOrigin, mailboxUrl, emulatorHost, adminToken },
  logs,
) {
  console.log(`
  Start here        ${platformOrigin}/user/dashboard   (the learning platform: sends you to sign in and back)
  Sign in           ${appOrigin}/sign-in
  Another domain    ${schoolOrigin}   (a school: signs in by OpenID Connect, silently once you are signed in)
  Session checks    ${checkOrigin}/api/check-auth-status   (the second listener, which the platform calls)
  Mailbox           ${mailboxUrl}   (every mail the app sends)
  Auth emulator     http://${emulatorHost}

  Sample users, password ${SAMPLE_PASSWORD} where they have one
${sampleUsers.map(({ email, about }) => `    ${email.padEnd(24)} ${about}`).join('\n')}

  Admin token       ${adminToken}
  Logs              ${logs}/

  Ctrl-C stops everything.
`);
}
