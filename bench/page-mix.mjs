// Counts the session checks that a platform makes with examples/express/identity.mjs, and how many become calls: npm
// run bench -- checks
import { createIdentity } from '../examples/express/identity.mjs';
import { atMost } from './lib/limits.mjs';
import { signIn } from './lib/sign-in.mjs';
import { BUDGETS } from './budgets.mjs';

const LEARNERS = 10;
const VISIT_MS = 20 * 60_000;
/**
 * What a learner does on a platform for 20 minutes. `weight`: how often, relative to other pages; `seconds`: until the
 * next page; `resources`: concurrent requests of the page that need the learner; `every`: seconds between saves of
 * progress, 0 for none.
 */
const PAGES = [
  { name: 'list', weight: 3, seconds: 15, resources: 6, every: 0 },
  { name: 'text', weight: 4, seconds: 90, resources: 9, every: 30 },
  { name: 'video', weight: 2, seconds: 240, resources: 12, every: 10 },
  { name: 'exercise', weight: 1, seconds: 60, resources: 8, every: 5 },
];

/**
 * How late the platform may notice that a session was ended elsewhere, in milliseconds: usual in the examples, and
 * maximum.
 */
const [USUAL_MS, LONG_MS] = [5_000, 60_000];

/** @type {import('./bench.mjs').Bench} */
export async function pageMix({ endpoints }) {
  const usual = await countCalls(endpoints, USUAL_MS);
  const long = await countCalls(endpoints, LONG_MS);
  return [
    { what: `checks of ${String(LEARNERS)} learners in 20 minutes`, value: usual.checks, unit: '' },
    { what: 'pages', value: usual.pages, unit: '' },
    { what: 'calls', value: usual.calls, unit: '' },
    { what: 'saved', value: Number((100 * (1 - usual.calls / usual.checks)).toFixed(1)), unit: '%' },
    { what: 'calls with a cache of 60 s', value: long.calls, unit: '' },
    { what: 'calls a page', value: Number((long.calls / long.pages).toFixed(2)), unit: '' },
    atMost('calls a check', Number((long.calls / long.checks).toFixed(2)), '', BUDGETS.callsPerCheck),
  ];
}

/** @param {import('../scripts/lib/stack.mjs').Endpoints} endpoints @param {number} cacheMs */
async function countCalls(endpoints, cacheMs) {
  const begun = Date.now();
  const random = createRandom(7);
  let [clock, checks, calls, pages] = [0, 0, 0, 0];
  const realFetch = globalThis.fetch;
  const countedFetch = (/** @type {Parameters<typeof fetch>} */ ...request) => {
    calls += 1;
    return realFetch(...request);
  };
  for (let learner = 0; learner < LEARNERS; learner += 1) {
    const cookie = await signIn(endpoints);
    const { getSession } = createIdentity({
      identityOrigin: endpoints.appOrigin,
      ownOrigin: endpoints.platformOrigin,
      cacheMs,
      // Starts at the present time, because a session has an end.
      now: () => begun + clock,
    });
    const check = async () => {
      checks += 1;
      const { state } = await getSession(cookie);
      if (state !== 'signed-in') throw new Error(`The session is ${state}`);
    };
    globalThis.fetch = countedFetch;
    for (clock = 0; clock < VISIT_MS;) {
      const page = choose(random());
      pages += 1;
      await Promise.all(Array.from({ length: 1 + page.resources }, check));
      const next = clock + page.seconds * 1_000 * (0.5 + random());
      const pause = page.every * 1_000;
      for (; pause > 0 && clock + pause < next; await check()) clock += pause;
      clock = next;
    }
    globalThis.fetch = realFetch;
  }
  return { checks, calls, pages };
}

/** @param {number} share from 0 to 1 */
function choose(share) {
  let rest = share * PAGES.reduce((sum, { weight }) => sum + weight, 0);
  const page = PAGES.find(({ weight }) => (rest -= weight) < 0);
  if (page === undefined) throw new RangeError(String(share));
  return page;
}

/** Generates the same numbers from 0 to 1 in each run: mulberry32. @param {number} seed */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
