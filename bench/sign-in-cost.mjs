/**
 * Measures the cost of sign-ins: the CPU time of the app, including emails about new browsers, and the growth of the
 * database. It uses one process, Redis and PostgreSQL. Usage: npm run bench:signin -- [sign-ins of a row]; `--write`
 * saves the table in docs/load.md
 */
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getAnyNetwork } from './lib/client.mjs';
import { readMetrics } from './lib/metrics.mjs';
import { createPeople } from './lib/people.mjs';
import { report } from './lib/report.mjs';
import { signIn } from './lib/sign-in.mjs';
import { freePorts } from '../scripts/lib/ports.mjs';
import { createDatabase, queryDatabase, startOwnPostgres } from '../scripts/lib/postgres.mjs';
import { stopServicesOnExit } from '../scripts/lib/processes.mjs';
import { startRedis } from '../scripts/lib/services.mjs';
import { startOtherApp, startStack } from '../scripts/lib/stack.mjs';

const count = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 1_000);
const LANES = 4;
const WARM_UP = 100;

stopServicesOnExit();
const [redisPort = 0] = await freePorts(1);
const [redis, postgres, stack] = await Promise.all([
  startRedis({ port: redisPort, dir: mkdtempSync(path.join(os.tmpdir(), 'sign-in-cost-')) }),
  startOwnPostgres(),
  startStack({ name: 'bench-sign-ins', env: { LOG_LEVEL: 'warn' } }),
]);
const database = await createDatabase(postgres.url);
const env = {
  REDIS_URL: redis.url,
  DATABASE_URL: database,
  LOG_LEVEL: 'warn',
  TRUSTED_PROXY_HOPS: '1',
  PROOF_OF_WORK: '0',
};
const app = await startOtherApp(stack.endpoints, env);
const people = createPeople(stack.endpoints);

/** Cookies of the browsers, by account. @type {Map<string, string>} */
const browsers = new Map();
const everybody = await people.create(count);
await measure(await people.create(WARM_UP), { isKnown: false });

const rows = [
  ['the first browser of an account', await measure(everybody, { isKnown: false })],
  ['another new browser', await measure(everybody, { isKnown: false })],
  ['a browser that has signed in before', await measure(everybody, { isKnown: true })],
].map(([name, { cpu, bytes }]) => [name, `${cpu.toFixed(1)} ms`, `${(bytes / 1000).toFixed(1)} MB`]);

await app.stop();
await stack.stop();
await Promise.all([redis.stop(), postgres.stop()]);

const HEAD = ['sign-ins in', 'CPU time of a sign-in', 'database, for 1,000'];
const setting = `Each row has ${count.toLocaleString('en')} sign-ins with a password, and the emails that they cause. Node ${process.versions.node}, load average ${os.loadavg()[0]?.toFixed(0)}. The process, Redis, PostgreSQL, the emulator and the mailbox share ${os.availableParallelism()} processors. The CPU time is the time of the process.`;
report('sign-ins', setting, [HEAD, ['---', '--:', '--:'], ...rows]);

/**
 * Signs each of these accounts in once.
 * @param {import('./lib/people.mjs').Person[]} those
 * @param {{ isKnown: boolean }} options whether each account uses the browser of its last sign-in
 * @returns {Promise<{ cpu: number, bytes: number }>} milliseconds and bytes for each sign-in
 */
async function measure(those, { isKnown }) {
  const before = await read();
  const waiting = [...those];
  const lane = async () => {
    for (let person = waiting.pop(); person; person = waiting.pop()) {
      const cookie = isKnown ? (browsers.get(person.uid) ?? '') : '';
      const headers = { 'x-forwarded-for': getAnyNetwork(), ...(cookie && { cookie }) };
      browsers.set(person.uid, await signIn(app.endpoints, { token: await people.fetchToken(person), headers }));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  while (Number((await queryDatabase(database, 'select 1 from jobs where sent_at is null')).length) > 0)
    await sleep(500);
  const after = await read();
  const each = (/** @type {'cpu' | 'bytes'} */ name) => (after[name] - before[name]) / those.length;
  return { cpu: each('cpu') * 1000, bytes: each('bytes') };
}

async function read() {
  const metric = await readMetrics(app.endpoints);
  const [row] = await queryDatabase(database, 'select pg_database_size(current_database())::float8 as bytes');
  return { cpu: metric('process_cpu_seconds_total'), bytes: Number(row?.bytes) };
}
