// Threats: enumeration

// Compares the response times for known and unknown email addresses, idle and under load: `npm run
// bench:parity`. With `-- --self-test`, it checks that it detects a proxy that delays responses for known addresses.
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createBrowser, startLoad } from './lib/parity-load.mjs';
import { PARITY_CALLS } from './lib/parity-calls.mjs';
import { startDelayingProxy } from './lib/parity-proxy.mjs';
import { createPeople } from './lib/people.mjs';
import { tellApart } from './lib/tell-apart.mjs';
import { stopServicesOnExit } from '../scripts/lib/processes.mjs';
import { startStack } from '../scripts/lib/stack.mjs';

/**
 * Number of samples of each kind, for each call and load, fixed beforehand. If the command line names calls, only these
 * are measured.
 */
const SAMPLES = Number(process.env.PARITY_SAMPLES ?? 200);
const SELF_TEST = {
  path: '/api/sign-in-help',
  /**
   * Delays of responses for known addresses, in milliseconds. With a delay of 0, a difference would come from the
   * proxy.
   */
  leaks: [0, 15, 5],
};
/** Separates the work behind a response from the next response. */
const PAUSE_MS = { min: 10, max: 40 };
/** Pairs that are measured first, and left out. */
const WARM_UP = 5;
const AT_ONCE = 4;
/** Pairs that are measured concurrently. Idle pairs run in sequence, so that the bench does not disturb an idle app. */
const LANES = { idle: 1, busy: 4 };
/** The browsers of the load sign in first. */
const LOAD_BEGINS_MS = 2_000;

/** @typedef {{ kind: 'known' | 'unknown', email: string, browser: ReturnType<typeof createBrowser>, begun: import('./lib/parity-calls.mjs').Begun }} Sample */

stopServicesOnExit();
// Each browser has a separate network behind the proxy. Otherwise a single client would exceed its rate limits.
const stack = await startStack({
  name: `bench-parity-${process.pid}`,
  env: { TRUSTED_PROXY_HOPS: '1', LOG_LEVEL: 'warn' },
});
const { values, positionals: chosen } = parseArgs({
  options: { 'self-test': { type: 'boolean', default: false } },
  allowPositionals: true,
});
const isSelfTest = values['self-test'];
const proxy = isSelfTest ? await startDelayingProxy(stack.endpoints.appOrigin) : null;
const calls = Object.entries(PARITY_CALLS).filter(([path]) => chosen.length === 0 || chosen.includes(path));

try {
  console.log(
    `${SAMPLES} known addresses for each row, and as many unknown ones, in pairs of random order. In parentheses: what 99 of 100 shuffles of known and unknown do not exceed.\n`,
  );
  console.log(
    '| call | load | median, known | median, unknown | difference | guessed | times |\n| --- | --- | --: | --: | --: | --: | --- |',
  );
  process.exitCode = (await (isSelfTest ? testItself() : measureAll())) ? 0 : 1;
} finally {
  proxy?.stop();
  await stack.stop();
}

/** @returns whether no call tells known addresses from unknown ones */
async function measureAll() {
  /** @type {Record<import('./lib/tell-apart.mjs').Verdict, string[]>} */
  const verdicts = { alike: [], differ: [], undecided: [] };
  /** @type {Record<string, number>} */
  const responses = {};
  for (const [path, call] of calls) {
    // Prepare without load, because preparing takes longer than measuring.
    const [idle, busy] = [await prepare(call), await prepare(call)];
    if (call.settleSeconds) await wait(call.settleSeconds * 1000);
    verdicts[await measure(path, 'idle', call, idle)].push(`${path} (idle)`);
    const endLoad = startLoad(stack.endpoints);
    await wait(LOAD_BEGINS_MS);
    const verdict = await measure(path, 'busy', call, busy).finally(async () => {
      for (const [kind, count] of Object.entries(await endLoad())) responses[kind] = (responses[kind] ?? 0) + count;
    });
    verdicts[verdict].push(`${path} (busy)`);
  }
  const counts = Object.entries(responses).map(([kind, count]) => `${kind}: ${count}`);
  console.log(`\nLoad meanwhile, responses by status: ${counts.join(', ')}.`);
  const { differ, undecided } = verdicts;
  if (undecided.length > 0) console.log(`Over a limit, as chance is in these samples: ${undecided.join('; ')}.`);
  console.log(differ.length === 0 ? 'No times are told apart.' : `The times differ: ${differ.join('; ')}.`);
  return differ.length === 0;
}

/** @returns whether every leak of the proxy is found, and none where there is none */
async function testItself() {
  const call = PARITY_CALLS[SELF_TEST.path];
  if (call === undefined) throw new Error(`There is no call ${SELF_TEST.path}`);
  /** @type {string[]} */
  const failures = [];
  for (const leak of SELF_TEST.leaks) {
    const verdict = await measure(`${SELF_TEST.path}, held back ${leak} ms`, 'idle', call, await prepare(call, leak));
    if ((verdict === 'differ') !== leak > 0) failures.push(`${leak} ms: ${verdict}`);
  }
  console.log(failures.length === 0 ? '\nEvery leak is found.' : `\nNot as it should be: ${failures.join('; ')}.`);
  return failures.length === 0;
}

/**
 * Prepares pairs in random order, so that drift of the machine affects both kinds.
 * @param {import('./lib/parity-calls.mjs').Call} call
 * @param {number} [leak] milliseconds for which the proxy holds responses for known addresses back
 */
function prepare(call, leak = 0) {
  const pairs = Array.from({ length: WARM_UP + SAMPLES }, createPair);
  return inTurns(pairs.flat().map((kind) => () => begin(kind, call, kind === 'known' ? leak : 0)));
}

/**
 * @param {string} title
 * @param {'idle' | 'busy'} load
 * @param {import('./lib/parity-calls.mjs').Call} call
 * @param {Sample[]} samples
 */
async function measure(title, load, call, samples) {
  /** @type {import('./lib/tell-apart.mjs').Times} */
  const times = { known: [], unknown: [] };
  const pairs = samples.flatMap((sample, i) => (i % 2 === 0 ? [[sample, samples[i + 1] ?? sample]] : []));
  const measurePair = async (/** @type {Sample[]} */ pair) => {
    /** @type {Partial<Record<Sample['kind'], number>>} */
    const measured = {};
    for (const { kind, email, browser, begun } of pair) {
      await wait(randomInt(PAUSE_MS.min, PAUSE_MS.max));
      const { status, text, milliseconds } = await browser(call.path, call.body(email, begun));
      if (status !== call.status) throw new Error(`${call.path} answered ${status}: ${text}`);
      measured[kind] = milliseconds;
    }
    return measured;
  };
  const measureNext = async () => {
    for (let pair = pairs.shift(); pair; pair = pairs.shift()) {
      const isWarm = pairs.length < SAMPLES;
      const { known = NaN, unknown = NaN } = await measurePair(pair);
      if (!isWarm) continue;
      times.known.push(known);
      times.unknown.push(unknown);
    }
  };
  await Promise.all(Array.from({ length: LANES[load] }, measureNext));
  return report(title, load, times);
}

/** @param {string} title @param {'idle' | 'busy'} load @param {import('./lib/tell-apart.mjs').Times} times */
function report(title, load, times) {
  const { medians, difference, guessed, chance, verdict } = tellApart(times);
  const toShare = (/** @type {number} */ share) => `${(share * 100).toFixed(1)} %`;
  const cells = [
    ...[medians.known, medians.unknown].map((value) => `${value.toFixed(1)} ms`),
    `${toShare(difference)} (${toShare(chance.difference)})`,
    `${toShare(guessed)} (${toShare(chance.guessed)})`,
    verdict,
  ];
  console.log(`| \`${title}\` | ${load} | ${cells.join(' | ')} |`);
  return verdict;
}

/** @returns {Sample['kind'][]} */
function createPair() {
  return randomInt(2) === 0 ? ['known', 'unknown'] : ['unknown', 'known'];
}

/** @param {Sample['kind']} kind @param {import('./lib/parity-calls.mjs').Call} call @param {number} leak @returns {Promise<Sample>} */
async function begin(kind, call, leak) {
  const { endpoints } = stack;
  const email = `${randomUUID()}@campus.test`;
  if (kind === 'known') await createPeople(endpoints).createOne(email);
  const browser = createBrowser(endpoints.appOrigin, proxy && { origin: proxy.origin, delay: leak });
  const post = async (/** @type {string} */ path, /** @type {object} */ body) => {
    const { status, text } = await browser(path, body);
    return { status, body: JSON.parse(text) };
  };
  const begun = (await call.begin?.({ post, email, endpoints })) ?? {};
  return { kind, email, browser, begun };
}

/** @template T @param {(() => Promise<T>)[]} tasks @returns {Promise<T[]>} */
async function inTurns(tasks) {
  const results = [];
  for (let from = 0; from < tasks.length; from += AT_ONCE)
    results.push(...(await Promise.all(tasks.slice(from, from + AT_ONCE).map((task) => task()))));
  return results;
}
