// Threats: enumeration
// Compares the response times for known and unknown email addresses, idle and under load: `npm run bench:parity`
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createAccount, createBrowser, startLoad } from './lib/parity-load.mjs';
import { PARITY_CALLS } from './lib/parity-calls.mjs';
import { tellApart } from './lib/tell-apart.mjs';
import { stopServicesOnExit } from '../scripts/lib/processes.mjs';
import { startStack } from '../scripts/lib/stack.mjs';

/** Of each kind, for each call and load: fixed beforehand. Given calls, as words of the command line, are the only ones measured. */
const SAMPLES = Number(process.env.PARITY_SAMPLES ?? 200);
/** Milliseconds for which the bench itself holds responses for known addresses back: shows what it finds. */
const LEAK_MS = Number(process.env.PARITY_LEAK_MS ?? 0);
/** Work behind one response must not blur the next one. */
const PAUSE_MS = { min: 10, max: 40 };
/** Pairs that are measured first, and left out. */
const WARM_UP = 5;
const AT_ONCE = 4;
/** Its browsers sign in first. */
const LOAD_BEGINS_MS = 2_000;

/** @typedef {{ kind: 'known' | 'unknown', email: string, browser: ReturnType<typeof createBrowser>, begun: { flow?: string } }} Sample */

stopServicesOnExit();
// Each browser has a network of its own behind the proxy; otherwise one client would exceed its rate limits.
const stack = await startStack({ name: 'bench-parity', env: { TRUSTED_PROXY_HOPS: '1', LOG_LEVEL: 'warn' } });
const chosen = process.argv.slice(2);
const calls = Object.entries(PARITY_CALLS).filter(([path]) => chosen.length === 0 || chosen.includes(path));

/** @type {Record<'differ' | 'undecided', string[]>} */
const verdicts = { differ: [], undecided: [] };

try {
  console.log(
    `${SAMPLES} known addresses for each call, idle and busy, and as many unknown ones, in pairs of random order. In parentheses: what 99 of 100 shuffles of known and unknown do not exceed.\n`,
  );
  if (LEAK_MS > 0) console.log(`Responses for known addresses are held back for ${LEAK_MS} ms.\n`);
  console.log(
    '| call | load | median, known | median, unknown | difference | guessed | times |\n| --- | --- | --: | --: | --: | --: | --- |',
  );
  /** @type {Record<string, number>} */
  const responses = {};
  for (const [path, call] of calls) {
    // Before there is load: preparing takes longer than measuring.
    const [idle, busy] = [await prepare(call), await prepare(call)];
    if (call.settleSeconds) await wait(call.settleSeconds * 1000);
    await measure(path, 'idle', call, idle);
    const endLoad = startLoad(stack.endpoints);
    await wait(LOAD_BEGINS_MS);
    await measure(path, 'busy', call, busy).finally(async () => {
      for (const [kind, count] of Object.entries(await endLoad())) responses[kind] = (responses[kind] ?? 0) + count;
    });
  }
  const counts = Object.entries(responses).map(([kind, count]) => `${kind}: ${count}`);
  console.log(`\nLoad meanwhile, responses by status: ${counts.join(', ')}.`);
  const { differ, undecided } = verdicts;
  if (undecided.length > 0) console.log(`Over a limit, as chance is in these samples: ${undecided.join('; ')}.`);
  console.log(differ.length === 0 ? 'No times are told apart.' : `The times differ: ${differ.join('; ')}.`);
  process.exitCode = differ.length === 0 ? 0 : 1;
} finally {
  await stack.stop();
}

/** @param {import('./lib/parity-calls.mjs').Call} call pairs, each in random order, so that drift of the machine hits both kinds */
function prepare(call) {
  const pairs = Array.from({ length: WARM_UP + SAMPLES }, createPair);
  return inTurns(pairs.flat().map((kind) => () => begin(kind, call)));
}

/**
 * @param {string} path
 * @param {'idle' | 'busy'} load
 * @param {import('./lib/parity-calls.mjs').Call} call
 * @param {Sample[]} samples
 */
async function measure(path, load, call, samples) {
  /** @type {import('./lib/tell-apart.mjs').Times} */
  const times = { known: [], unknown: [] };
  for (const [i, { kind, email, browser, begun }] of samples.entries()) {
    await wait(randomInt(PAUSE_MS.min, PAUSE_MS.max));
    const { status, text, milliseconds } = await browser(path, call.body(email, begun));
    if (status !== call.status) throw new Error(`${path} answered ${status}: ${text}`);
    if (i >= WARM_UP * 2) times[kind].push(milliseconds + (kind === 'known' ? LEAK_MS : 0));
  }
  report(path, load, times);
}

/** @param {string} path @param {'idle' | 'busy'} load @param {import('./lib/tell-apart.mjs').Times} times */
function report(path, load, times) {
  const { medians, difference, guessed, chance, verdict } = tellApart(times);
  const toShare = (/** @type {number} */ share) => `${(share * 100).toFixed(1)} %`;
  const cells = [
    ...[medians.known, medians.unknown].map((value) => `${value.toFixed(1)} ms`),
    `${toShare(difference)} (${toShare(chance.difference)})`,
    `${toShare(guessed)} (${toShare(chance.guessed)})`,
    verdict,
  ];
  console.log(`| \`${path}\` | ${load} | ${cells.join(' | ')} |`);
  if (verdict !== 'alike') verdicts[verdict].push(`${path} (${load})`);
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
