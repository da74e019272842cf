// /security of a signed-in learner on a slow phone, and with PEER_URL by turns that of another build (bench/peer.mjs):
// npm run bench -- account
import { BUDGETS } from './budgets.mjs';
import { byTurns } from './lib/by-turns.mjs';
import { atMost, sizeAtMost } from './lib/limits.mjs';
import { median } from './lib/median.mjs';
import { signInWithBrowser } from './lib/sign-in.mjs';
import { visit } from './lib/slow-phone.mjs';

const ROUNDS = Number(process.env.PEER_ROUNDS ?? 5);
const PATH = '/security';

/** @type {import('./bench.mjs').Bench} */
export async function account({ endpoints, browser }) {
  const open = await openAccount(browser, endpoints.appOrigin);
  const other = process.env.PEER_URL;
  if (!other) return describe(await repeat(open));
  const [ours, theirs] = await byTurns(ROUNDS, open, await openAccount(browser, new URL(other).origin));
  const [usable, before] = [median(ours.map(({ ready }) => ready)), median(theirs.map(({ ready }) => ready))];
  const js = median(theirs.map(({ usableJs }) => usableJs));
  const blocking = median(theirs.map(({ totalBlocking }) => totalBlocking));
  const pairs = ours.map(({ ready }, round) => ready / (theirs[round]?.ready ?? NaN));
  return [
    ...describe(ours),
    { what: `${PATH} of the other build: JS until usable`, value: Number((js / 1000).toFixed(1)), unit: 'KB' },
    { what: `${PATH} of the other build: blocking`, value: Math.round(blocking), unit: 'ms' },
    { what: `${PATH} of the other build: usable`, value: Math.round(before), unit: 'ms' },
    { what: `${PATH}: usable, ratio of the medians`, value: Number((usable / before).toFixed(2)), unit: '' },
    atMost(`${PATH}: usable, median of the ratios`, Number(median(pairs).toFixed(2)), '', BUDGETS.account.usable),
  ];
}

/** Signs in once. @param {import('@playwright/test').Browser} browser @param {string} origin @returns a visit of that learner */
async function openAccount(browser, origin) {
  const cookies = await signInWithBrowser(browser, origin, PATH);
  return () => visit(browser, origin + PATH, { cookies });
}

/** @template T @param {() => Promise<T>} open @returns {Promise<T[]>} */
async function repeat(open) {
  const visits = [];
  for (let round = 0; round < ROUNDS; round += 1) visits.push(await open());
  return visits;
}

/** @param {import('./lib/slow-phone.mjs').Visit[]} visits */
function describe(visits) {
  const middle = (/** @type {keyof import('./lib/slow-phone.mjs').Visit} */ name) =>
    median(visits.map((one) => one[name]));
  return [
    sizeAtMost(`${PATH}: JS until usable`, middle('usableJs'), BUDGETS.account.usableJs),
    sizeAtMost(`${PATH}: JS until idle`, middle('idleJs'), BUDGETS.account.idleJs),
    sizeAtMost(`${PATH}: CSS`, middle('css'), BUDGETS.account.css),
    { what: `${PATH}: first paint`, value: Math.round(middle('paint')), unit: 'ms' },
    { what: `${PATH}: usable`, value: Math.round(middle('ready')), unit: 'ms' },
    atMost(`${PATH}: blocking`, Math.round(middle('totalBlocking')), 'ms', BUDGETS.account.totalBlocking),
    atMost(`${PATH}: layout shift`, Number(middle('layoutShift').toFixed(4)), '', BUDGETS.page.layoutShift),
  ];
}
