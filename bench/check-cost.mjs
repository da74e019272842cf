/**
 * Measures what session checks cost, by live sessions and processes: CPU seconds for a million, and memory for 10,000
 * sessions. It uses a single Redis and PostgreSQL. Usage: npm run bench:checks -- [most sessions]; `--write` saves the
 * table in docs/load.md
 */
import autocannon from 'autocannon';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readMetrics } from './lib/metrics.mjs';
import { createPeople } from './lib/people.mjs';
import { report } from './lib/report.mjs';
import { freePorts } from '../scripts/lib/ports.mjs';
import { createDatabase, startPostgres } from '../scripts/lib/postgres.mjs';
import { stopServicesOnExit } from '../scripts/lib/processes.mjs';
import { startRedis } from '../scripts/lib/services.mjs';
import { startOtherApp, startStack } from '../scripts/lib/stack.mjs';

const most = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 100_000);
const SESSIONS = [1, 1_000, most];
const PROCESSES = [1, 2, 4];
/**
 * Minimum and maximum number of checks in a cell. For sessions beyond a process's cache, each check asks the identity
 * provider.
 */
const CHECKS = { least: 10_000, most: 20_000 };
const USERS = 100;

stopServicesOnExit();
const dir = mkdtempSync(path.join(os.tmpdir(), 'check-cost-'));
const [redisPort = 0, databasePort = 0] = await freePorts(2);
const [redis, database, stack] = await Promise.all([
  startRedis({ port: redisPort, dir }),
  startPostgres({ port: databasePort, dir: mkdtempSync(path.join(os.tmpdir(), 'check-cost-')) }),
  startStack({ name: 'bench-checks', env: { LOG_LEVEL: 'warn' } }),
]);
const people = await createPeople(stack.endpoints).create(USERS);
const env = { REDIS_URL: redis.url, DATABASE_URL: await createDatabase(database.url), LOG_LEVEL: 'warn' };

const rows = [];
for (const count of PROCESSES) {
  const ports = await freePorts(count);
  const apps = [];
  for (const port of ports) apps.push(await startOtherApp(stack.endpoints, { ...env, CHECK_PORT: String(port) }));
  for (const sessions of SESSIONS) {
    const cookies = Array.from({ length: sessions }, (_, i) => makeCookie(i));
    await check(apps, cookies.slice(0, 200), 2_000);
    const before = await measure(apps);
    const checks = Math.min(Math.max(CHECKS.least, sessions), CHECKS.most);
    const begin = performance.now();
    await check(apps, cookies, checks);
    const seconds = (performance.now() - begin) / 1000;
    const after = await measure(apps);
    const cpu = ((after.cpu - before.cpu) / checks) * 1_000_000;
    const memory = (after.memory - before.memory) / 2 ** 20 / (checks / 10_000);
    const cells = [count, sessions.toLocaleString('en'), Math.round(checks / seconds), Math.round(cpu)];
    rows.push([...cells, sessions > 10_000 ? `${memory.toFixed(0)} MB` : '']);
    console.log(rows.at(-1)?.join('  '));
  }
  await Promise.all(apps.map((app) => app.stop()));
}
await stack.stop();
await Promise.all([redis.stop(), database.stop()]);

const HEAD = [
  'processes',
  'live sessions',
  'checks a second',
  'CPU seconds for 1,000,000',
  'memory for 10,000 sessions, all processes',
];
const setting = `Listener for checks, Node ${process.versions.node}, load average ${os.loadavg()[0]?.toFixed(0)}. The processes, Redis, PostgreSQL, the emulator and the load share ${os.availableParallelism()} processors. The CPU time is the time of the app's processes.`;
report('checks', setting, [HEAD, HEAD.map(() => '--:'), ...rows]);

/** Makes an unsigned session cookie like the emulator. @param {number} i */
function makeCookie(i) {
  const person = people[i % USERS];
  // The time must not precede the account's creation.
  const time = Math.floor(Date.now() / 1000);
  const claims = {
    iss: `https://session.firebase.google.com/${stack.endpoints.projectId}`,
    aud: stack.endpoints.projectId,
    ...{ sub: person?.uid, user_id: person?.uid, email: person?.email, email_verified: true },
    // Sessions of the same user differ in their expiry.
    ...{ auth_time: time, iat: time, exp: time + 86_400 + Math.floor(i / USERS) },
    firebase: { identities: { email: [person?.email] }, sign_in_provider: 'password' },
  };
  const encode = (/** @type {object} */ part) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`;
}

/**
 * Checks sessions in turn with all processes.
 * @param {{ endpoints: { checkOrigin: string } }[]} apps
 * @param {string[]} cookies
 * @param {number} amount
 */
async function check(apps, cookies, amount) {
  const loads = apps.map(async ({ endpoints }, n) => {
    let turn = n;
    const result = await autocannon({
      url: endpoints.checkOrigin,
      connections: 16,
      amount: Math.ceil(amount / apps.length),
      requests: [
        {
          method: 'POST',
          path: '/api/check-auth-status',
          setupRequest: (request) => {
            turn += apps.length;
            return { ...request, headers: { cookie: `_secure-user-session=${cookies[turn % cookies.length]}` } };
          },
        },
      ],
    });
    if (result.non2xx + result.errors > 0)
      throw new Error(`${result.non2xx} checks were refused, ${result.errors} failed`);
  });
  await Promise.all(loads);
}

/**
 * Reads CPU seconds and resident bytes of all processes.
 * @param {{ endpoints: { appOrigin: string, adminToken: string } }[]} apps
 */
async function measure(apps) {
  const figures = await Promise.all(apps.map(({ endpoints }) => readMetrics(endpoints)));
  const sum = (/** @type {string} */ name) => figures.reduce((total, read) => total + read(name), 0);
  return { cpu: sum('process_cpu_seconds_total'), memory: sum('process_resident_memory_bytes') };
}
