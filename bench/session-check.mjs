// Measures the rate of the session check. It compares the route with the only route of another app, and its own
// listener with a bare Node.js server: npm run bench -- session listener
import autocannon from 'autocannon';
import { Agent, request } from 'node:http';
import { startBareServer } from './lib/bare-server.mjs';
import { byTurns } from './lib/by-turns.mjs';
import { startEmptyApp } from './lib/empty-app.mjs';
import { atLeast, atMost } from './lib/limits.mjs';
import { isImageNode } from './lib/image-node.mjs';
import { signIn } from './lib/sign-in.mjs';
import { BUDGETS } from './budgets.mjs';
import { measureRate } from './lib/measure-rate.mjs';
import { readMetrics } from './lib/metrics.mjs';
import { getTreeCpuMs } from '../scripts/lib/cpu-time.mjs';
import { median } from './lib/median.mjs';

/** Rounds are short and alternate, so that temporary load on the machine slows both. */
const ROUNDS = 40;
const WARM_UP = 5;
const AT_ONCE = 16;
const ROUND = { atOnce: AT_ONCE, ms: 500 };
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** @type {import('./bench.mjs').Bench} */
export async function sessionCheck({ endpoints }) {
  const cookie = await signIn(endpoints);
  const empty = await startEmptyApp();
  const [checks, others] = await byTurns(
    ROUNDS,
    () => measureRate(() => call(`${endpoints.appOrigin}/api/check-auth-status`, cookie), ROUND),
    () => measureRate(() => call(empty.url, cookie), ROUND),
    WARM_UP,
  );
  await empty.stop();
  const share = Number(median(checks.map((rate, round) => rate / (others[round] ?? NaN))).toFixed(2));
  const row = atLeast(`share, on Node ${process.versions.node}`, share, '', BUDGETS.sessionCheck);
  return [
    { what: 'session check', value: Math.round(median(checks)), unit: '1/s' },
    { what: 'empty route of an empty app', value: Math.round(median(others)), unit: '1/s' },
    isImageNode ? row : { ...row, budget: '', ok: undefined },
  ];
}

/** @param {string} url @param {string} cookie @returns {Promise<void>} */
function call(url, cookie) {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: 'POST', agent, headers: { cookie, origin: new URL(url).origin } },
      (answer) => {
        answer.resume();
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`${url}: ${answer.statusCode}`)),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

const LISTENER_ROUNDS = 20;
const LISTENER_CONNECTIONS = 50;
const LISTENER_ROUND_SECONDS = 1;

/** @type {import('./bench.mjs').Bench} */
export async function checkListener({ endpoints }) {
  const cookie = await signIn(endpoints);
  const bare = await startBareServer(cookie);
  const counts = { own: 0, bare: 0 };
  const load = async (/** @type {keyof typeof counts} */ side, /** @type {string} */ url) => {
    const { count, ...result } = await loadServer(url, cookie);
    counts[side] += count;
    return result;
  };
  const begin = { own: await readCpuSeconds(endpoints), bare: getTreeCpuMs(bare.pid) / 1000 };
  const [own, bareOnes] = await byTurns(
    LISTENER_ROUNDS,
    () => load('own', `${endpoints.checkOrigin}/api/check-auth-status`),
    () => load('bare', bare.url),
  );
  const cpu = {
    own: (((await readCpuSeconds(endpoints)) - begin.own) / counts.own) * 1_000_000,
    bare: ((getTreeCpuMs(bare.pid) / 1000 - begin.bare) / counts.bare) * 1_000_000,
  };
  await bare.stop();
  const of = (/** @type {'rate' | 'p99'} */ name, /** @type {(pair: [number, number]) => number} */ of) =>
    median(own.map((result, round) => of([result[name], bareOnes[round]?.[name] ?? NaN])));
  const share = Number(of('rate', ([ours, theirs]) => ours / theirs).toFixed(2));
  return [
    { what: 'session check by its listener', value: Math.round(of('rate', ([ours]) => ours)), unit: '1/s' },
    { what: 'look-up by a bare server', value: Math.round(of('rate', ([, theirs]) => theirs)), unit: '1/s' },
    atLeast(`share, on Node ${process.versions.node}`, share, '', BUDGETS.checkListener.share),
    { what: 'p99 by its listener', value: Number(of('p99', ([ours]) => ours).toFixed(1)), unit: 'ms' },
    { what: 'p99 of a bare server', value: Number(of('p99', ([, theirs]) => theirs).toFixed(1)), unit: 'ms' },
    atMost(
      'p99, relative',
      Number(of('p99', ([ours, theirs]) => ours / theirs).toFixed(2)),
      '',
      BUDGETS.checkListener.p99,
    ),
    { what: 'CPU time of a check by its listener', value: Math.round(cpu.own), unit: 'µs' },
    { what: 'CPU time of a look-up by a bare server', value: Math.round(cpu.bare), unit: 'µs' },
    // A load that waits for the slower server sleeps meanwhile, and waking it adds to the time of each response.
    { what: 'share by CPU time', value: Number((cpu.bare / cpu.own).toFixed(2)), unit: '' },
  ];
}

/** Reads the CPU time of the app's process. @param {import('../scripts/lib/stack.mjs').Endpoints} endpoints */
const readCpuSeconds = async (endpoints) => (await readMetrics(endpoints))('process_cpu_seconds_total');

/** @param {string} url @param {string} cookie @returns {Promise<{ count: number, rate: number, p99: number }>} a second, and milliseconds */
async function loadServer(url, cookie) {
  /** @type {number[]} */
  const times = [];
  const begin = performance.now();
  const load = autocannon({
    url,
    method: 'POST',
    headers: { cookie },
    connections: LISTENER_CONNECTIONS,
    duration: LISTENER_ROUND_SECONDS,
  });
  load.on('response', (_client, status, _bytes, time) => {
    if (status !== 200) throw new Error(`${url} answered ${status}`);
    times.push(time);
  });
  await load;
  const seconds = (performance.now() - begin) / 1000;
  times.sort((a, b) => a - b);
  return { count: times.length, rate: times.length / seconds, p99: times[Math.floor(times.length * 0.99)] ?? NaN };
}
