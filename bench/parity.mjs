// Threats: enumeration
// Compares the response times for known and unknown email addresses, idle and under load: `npm run bench:parity`
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createAccount, createBrowser, startLoad } from './lib/parity-load.mjs';
import { PARITY_CALLS } from './lib/parity-calls.mjs';
import { tellApart } from './lib/tell-apart.mjs';
import { stopServicesOnExit } from '../scripts/lib/processes.mjs';
import { startStack } from '../scripts/lib/stack.mjs';

/** Of each kind, call and round. Given calls, as words of the command line, are the only ones measured. */
const SAMPLES = Number(process.env.PARITY_SAMPLES ?? 100);
/** Noise of the machine shrinks with more samples, a difference does not: a call over a limit is measured further. */
const MAX_ROUNDS = 3;
/** Work behind one response must not blur the next one. */
const PAUSE_MS = { min: 10, max: 40 };
/** Pairs that are measured first, and left out. */
const WARM_UP = 5;
const AT_ONCE = 4;

/** @typedef {{ kind: 'known' | 'unknown', email: string, browser: ReturnType<typeof createBrowser>, begun: { flow?: string } }} Sample */

stopServicesOnExit();
// Each browser has a network of its own behind the proxy; otherwise one client would exceed its rate limits.
const stack = await startStack({ name: 'bench-parity', env: { TRUSTED_PROXY_HOPS: '1', LOG_LEVEL: 'warn' } });
const chosen = process.argv.slice(2);
const calls = Object.entries(PARITY_CALLS).filter(([path]) => chosen.length === 0 || chosen.includes(path));

try {
  console.log(
    `${SAMPLES} to ${SAMPLES * MAX_ROUNDS} known addresses for each call, and as many unknown ones, in random order.\n`,
  );
  console.log(
    '| call | load | samples | median, known | median, unknown | difference | guessed |\n| --- | --- | --: | --: | --: | --: | --: |',
  );
  const idle = await measureAll('idle');
  const endLoad = startLoad(stack.endpoints);
  const busy = await measureAll('busy').finally(async () => {
    const counts = Object.entries(await endLoad()).map(([kind, count]) => `${kind}: ${count}`);
    console.log(`\nLoad meanwhile, responses by status: ${counts.join(', ')}.`);
  });
  const differing = [...idle, ...busy];
  console.log(differing.length === 0 ? 'The times are alike.' : `The times differ: ${differing.join('; ')}.`);
  process.exitCode = differing.length === 0 ? 0 : 1;
} finally {
  await stack.stop();
}

/** @param {string} load @returns {Promise<string[]>} the calls whose times differ */
async function measureAll(load) {
  const differing = [];
  for (const [path, call] of calls) {
    /** @type {import('./lib/tell-apart.mjs').Times} */
    const times = { known: [], unknown: [] };
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      await measure(path, call, times);
      if (tellApart(times).isAlike) break;
    }
    if (!report(path, load, times).isAlike) differing.push(`${path} (${load})`);
  }
  return differing;
}

/** @param {string} path @param {string} load @param {import('./lib/tell-apart.mjs').Times} times */
function report(path, load, times) {
  const found = tellApart(times);
  const [known, unknown] = [found.medians.known, found.medians.unknown].map((value) => `${value.toFixed(1)} ms`);
  const shares = [found.difference, found.guessed].map((share) => `${(share * 100).toFixed(1)} %`);
  console.log(`| \`${path}\` | ${load} | ${times.known.length} | ${[known, unknown, ...shares].join(' | ')} |`);
  return found;
}

/**
 * Adds a round of samples: pairs, each in random order, so that drift of the machine hits both kinds.
 * @param {string} path
 * @param {import('./lib/parity-calls.mjs').Call} call
 * @param {import('./lib/tell-apart.mjs').Times} times
 */
async function measure(path, call, times) {
  const pairs = Array.from({ length: WARM_UP + SAMPLES }, createPair);
  const samples = await inTurns(pairs.flat().map((kind) => () => begin(kind, call)));
  if (call.settleSeconds) await wait(call.settleSeconds * 1000);
  for (const [i, { kind, email, browser, begun }] of samples.entries()) {
    await wait(randomInt(PAUSE_MS.min, PAUSE_MS.max));
    const { status, text, milliseconds } = await browser(path, call.body(email, begun));
    if (status !== call.status) throw new Error(`${path} answered ${status}: ${text}`);
    if (i >= WARM_UP * 2) times[kind].push(milliseconds);
  }
}

/** @returns {Sample['kind'][]} */
function createPair() {
  return randomInt(2) === 0 ? ['known', 'unknown'] : ['unknown', 'known'];
}

/** @param {Sample['kind']} kind @param {import('./lib/parity-calls.mjs').Call} call @returns {Promise<Sample>} */
async function begin(kind, call) {
  const email = `${randomUUID()}@campus.test`;
  if (kind === 'known') await createAccount(stack.endpoints, email);
  const browser = createBrowser(stack.endpoints.appOrigin);
  const post = async (/** @type {string} */ path, /** @type {object} */ body) => {
    const { status, text } = await browser(path, body);
    return { status, body: JSON.parse(text) };
  };
  const { flow } = (await call.begin?.(post, email)) ?? {};
  return { kind, email, browser, begun: flow === undefined ? {} : { flow } };
}

/** @template T @param {(() => Promise<T>)[]} tasks @returns {Promise<T[]>} */
async function inTurns(tasks) {
  const results = [];
  for (let from = 0; from < tasks.length; from += AT_ONCE)
    results.push(...(await Promise.all(tasks.slice(from, from + AT_ONCE).map((task) => task()))));
  return results;
}
