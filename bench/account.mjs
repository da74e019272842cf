// Measures /security of a signed-in learner on a slow phone: npm run bench -- account
import { BUDGETS } from './budgets.mjs';
import { atMost, sizeAtMost } from './lib/limits.mjs';
import { median } from './lib/median.mjs';
import { signInWithBrowser } from './lib/sign-in.mjs';
import { visit } from './lib/slow-phone.mjs';

const ROUNDS = Number(process.env.PEER_ROUNDS ?? 5);
const PATH = '/security';

/** @type {import('./bench.mjs').Bench} */
export async function account({ endpoints, browser }) {
  const url = endpoints.appOrigin + PATH;
  const cookies = await signInWithBrowser(browser, url);
  /** @type {import('./lib/slow-phone.mjs').Visit[]} */
  const visits = [];
  for (let round = 0; round < ROUNDS; round += 1) visits.push(await visit(browser, url, { cookies }));
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
