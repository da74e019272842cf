/**
 * Attacks the built app behind the nginx of deploy/ while learners sign in. The attack is bounded and stays on
 * loopback. Usage: npm run bench:attack -- [scale] `scale` is the share of the full size, 0.02 by default. `--write`
 * saves the table in docs/load.md.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { Agent } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './lib/median.mjs';
import { getNetwork, post } from './lib/client.mjs';
import { readMetrics } from './lib/metrics.mjs';
import { createPeople } from './lib/people.mjs';
import { report } from './lib/report.mjs';
import { startNginx } from '../scripts/lib/nginx.mjs';
import { freePorts } from '../scripts/lib/ports.mjs';
import { createDatabase, startOwnPostgres } from '../scripts/lib/postgres.mjs';
import { root } from '../scripts/lib/paths.mjs';
import { startService, stopServicesOnExit } from '../scripts/lib/processes.mjs';
import { startRedis } from '../scripts/lib/services.mjs';
import { loadSource } from '../scripts/lib/source-loader.mjs';
import { startOtherApp, startStack } from '../scripts/lib/stack.mjs';

const scale = Number(process.argv.slice(2).find((word) => /^[\d.]+$/.test(word)) ?? 0.02);
const PROCESSES = 4;
const LEARNERS = 50;
/** Interval of each learner's sign-ins, in seconds. Each sign-in uses a new browser. */
const EVERY_SECONDS = 10;
const CALM_SECONDS = Math.max(20, 60 * scale);
const sized = (/** @type {number} */ whole) => Math.max(4, Math.round(whole * scale));
const SIZES = {
  tries: sized(50_000),
  networks: sized(2_000),
  victims: sized(200),
  flows: sized(200),
  slow: sized(2_000),
  bodies: sized(2_000),
  /** Per second. It is bounded, so that the bench does not measure the attacker's own machine. */
  rate: 150,
};
/** Duration of a sign-in, and whether attackers use its address. @typedef {{ ms: number, isShared: boolean }} Time */
const { solve } = loadSource('/lib/browser/proof-of-work.ts');
const { PROOF_HEADER } = loadSource('/lib/shared/request-headers.ts');

stopServicesOnExit();
const dir = mkdtempSync(path.join(os.tmpdir(), 'attack-'));
const [redisPort = 0, port = 0, ...checkPorts] = await freePorts(PROCESSES + 1);
const [redis, database] = await Promise.all([startRedis({ port: redisPort, dir }), startOwnPostgres()]);
const secret = (/** @type {string} */ text) => Buffer.alloc(32, text).toString('base64');
const origin = `http://localhost:${port}`;
const env = {
  NEXT_PUBLIC_APP_ORIGIN: origin,
  REDIS_URL: redis.url,
  DATABASE_URL: await createDatabase(database.url),
  TRUSTED_PROXY_HOPS: '1',
  LOG_LEVEL: 'warn',
  // All learners solve their proofs on this machine, and the attackers solve none. `npm run bench -- proof` measures
  // the cost of a proof.
  PROOF_OF_WORK: '50',
  TOKEN_ENCRYPTION_SECRET: secret('shared by the processes'),
  SECOND_FACTOR_SECRET: secret('shared by the processes, too'),
};
const stack = await startStack({ name: 'bench-attack', env });
const others = await Promise.all(
  checkPorts.map((checkPort) => startOtherApp(stack.endpoints, { ...env, CHECK_PORT: String(checkPort) })),
);
const processes = [stack.endpoints, ...others.map(({ endpoints }) => endpoints)];
const nginx = await startNginx({
  port,
  origins: processes.map(({ appOrigin }) => appOrigin),
  checkOrigins: processes.map(({ checkOrigin }) => checkOrigin),
});
const people = createPeople(stack.endpoints);

const learners = await people.create(LEARNERS);
const victims = await people.create(SIZES.victims);
/** All failed sign-ins. @type {string[]} */
const failures = [];

await signInAll(5, []);
/** @type {Time[]} */
const calm = [];
await signInAll(CALM_SECONDS, calm);
// Read it late, because processes that have just started grow even without an attack.
const memoryBefore = await readMemory();

/** @type {any} */
let attack = null;
const orders = {
  origin,
  sizes: SIZES,
  victims: victims.map(({ email }) => email),
  stolen: await Promise.all(victims.slice(0, 50).map(people.fetchToken)),
};
/** @type {Time[]} */
const flooded = [];
const flooder = startAttackers(CALM_SECONDS);
await signInAll(CALM_SECONDS, flooded);
await flooder.exited;
const attackers = startAttackers();
/** @type {Time[]} */
const storm = [];
const begin = performance.now();
while (attackers.isRunning()) await signInAll(EVERY_SECONDS, storm);
const seconds = Math.round((performance.now() - begin) / 1000);
const load = os.loadavg()[0]?.toFixed(0);
await sleep(40_000);
const memoryAfter = await readMemory();
if (attack === null) throw new Error(`The attackers failed: ${attackers.logFile}`);
const emails = await countEmails();
await nginx.stop();
await Promise.all(others.map((app) => app.stop()));
await stack.stop();
await Promise.all([redis.stop(), database.stop()]);

const count = calm.length + flooded.length + storm.length;
/** @param {Time[]} times @param {(time: Time) => boolean} [isMeant] */
const compare = (times, isMeant = () => true) => {
  const [before, now] = [calm, times].map((each) =>
    each
      .filter(isMeant)
      .map((time) => time.ms)
      .sort((one, other) => one - other),
  );
  const p99 = (/** @type {number[]} */ sorted = []) => sorted[Math.floor(sorted.length * 0.99)] ?? NaN;
  const pair = (/** @type {(sorted: number[]) => number} */ pick) =>
    `${Math.round(pick(before ?? []))} and ${Math.round(pick(now ?? []))} ms`;
  return `median ${pair(median)}, p99 ${pair(p99)}: ${(p99(now) / p99(before)).toFixed(1)} ×`;
};
const growth = memoryAfter / memoryBefore - 1;
const percent = (/** @type {number} */ part) => `${(part * 100).toFixed(1)} %`;
const rows = [
  ['learners who signed in', `${count} of ${count + failures.length}`, '100 %'],
  ['their sign-ins, calm and under attack', compare(storm), 'p99 ≤ 2 ×'],
  ['these sign-ins, at addresses of their own', compare(storm, ({ isShared }) => !isShared), ''],
  ['these sign-ins, at addresses of attackers', compare(storm, ({ isShared }) => isShared), ''],
  ['their sign-ins, calm and while only session checks are flooded', compare(flooded), 'p99 ≤ 2 ×'],
  [
    `stuffing: ${attack.tries} tries from ${SIZES.networks} networks; answered`,
    `${attack.answered} (${percent(attack.answered / attack.tries)}); ${attack.asked} were asked for a proof, ${attack.limited} refused by a limit`,
    '',
  ],
  [
    `email bomb: ${attack.bombs} requests for ${SIZES.victims} addresses; emails that a victim got`,
    `${emails.median} (median), ${emails.most} (most)`,
    '≤ 45 an hour',
  ],
  [
    `codes guessed over ${PROCESSES} processes, in ${attack.flows} flows; guesses compared in a flow`,
    `${attack.mostCompared} at most`,
    '≤ 5',
  ],
  [
    `slow connections: ${attack.slow} opened, closed by the server`,
    `${attack.slowClosed}, the last after ${attack.slowSeconds} s`,
    'all',
  ],
  [
    `oversized and endless bodies: ${attack.bodies} sent; answers`,
    Object.entries(attack.bodyAnswers)
      .map(([answer, times]) => `${answer}: ${times}`)
      .join(', '),
    'a refusal each (403, 408, 413, 429, or closed)',
  ],
  ['flood of session checks, calls a second', `${attack.floodRate}`, ''],
  [
    'memory of the processes 40 s after the attack, compared with before',
    `${growth >= 0 ? '+' : ''}${percent(growth)}`,
    '± 10 %',
  ],
];
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
const setting = `Commit ${commit}, Node ${process.versions.node}, scale ${scale}, ${seconds} s, load average ${load}. All parts share ${os.availableParallelism()} processors (${os.cpus()[0]?.model}): nginx, ${PROCESSES} processes, Redis, PostgreSQL, the emulator, the mailbox and the learners. The attackers have the lowest priority there. ${LEARNERS} learners sign in every ${EVERY_SECONDS} s, each time in a new browser. Half of them use networks of the attackers. Their proofs are easy, because they share this machine, too.`;
report('attack', setting, [['what', 'measured', 'goal'], ['---', '---', '---'], ...rows]);
if (failures.length > 0) console.log([...new Set(failures)].join('\n'));
if (failures.length > 0) process.exitCode = 1;

/**
 * Starts the attackers in a separate process. @param {number} [floodSeconds] of a flood on the listener for checks
 * alone; otherwise all attacks
 */
function startAttackers(floodSeconds) {
  return startService('attackers', [process.execPath, path.join(root, 'bench/lib/attackers.mjs')], {
    logDir: dir,
    env: { ATTACK: JSON.stringify({ ...orders, floodSeconds }) },
    onMessage: (message) => (attack = message),
  });
}

/** Signs all learners in, spread over the seconds. @param {number} during @param {Time[]} times */
async function signInAll(during, times) {
  const rounds = Math.max(1, Math.round(during / EVERY_SECONDS));
  const spread = Math.min(during, EVERY_SECONDS) * 1000;
  for (let round = 0; round < rounds; round += 1) {
    const turns = learners.map(async (learner, i) => {
      await sleep((i / LEARNERS) * spread);
      // Half of the learners share an address with attackers.
      const isShared = i % 2 === 1;
      const from = isShared ? getNetwork(i % SIZES.networks) : getNetwork(i, 200);
      const token = await people.fetchToken(learner);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const start = performance.now();
      const problem = await signIn(token, { from, agent }).catch(String);
      agent.destroy();
      if (problem === null) times.push({ ms: performance.now() - start, isShared });
      else failures.push(problem);
    });
    await Promise.all(turns);
  }
}

/**
 * Signs in like the page, which adds a proof when asked for it.
 * @param {string} token @param {{ from: string, agent: Agent }} browser
 * @returns the problem, or null
 */
async function signIn(token, browser) {
  /** @type {Record<string, string>} */
  const headers = { origin };
  for (let i = 0; i < 3; i += 1) {
    const { status, body, cookies } = await post(`${origin}/api/create-user-session`, {
      ...browser,
      body: { token },
      headers,
    });
    if (status === 200) {
      const cookie = /_secure-user-session=[^;]+/.exec(cookies.join())?.[0] ?? '';
      const check = await post(`${origin}/api/check-auth-status`, { ...browser, headers: { origin, cookie } });
      return check.status === 200 ? null : `a check was answered with ${check.status}`;
    }
    if (body.code !== 'proof-required') return `a sign-in was answered with ${status} ${body.code}`;
    const { challenge } = body;
    headers[PROOF_HEADER] = btoa(JSON.stringify({ challenge, solution: await solve(challenge) }));
  }
  return 'three proofs were not enough';
}

/** Reads the resident memory of the app's processes, in bytes. */
async function readMemory() {
  const figures = await Promise.all(processes.map(readMetrics));
  return figures.reduce((sum, read) => sum + read('process_resident_memory_bytes'), 0);
}

async function countEmails() {
  const mails = /** @type {{ to: { address: string }[] }[]} */ (
    await (await fetch(`${stack.endpoints.mailboxUrl}/email`)).json()
  );
  const counts = victims.map(
    ({ email }) => mails.filter(({ to }) => to.some(({ address }) => address === email)).length,
  );
  return { median: median(counts), most: Math.max(...counts) };
}
