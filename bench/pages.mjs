// Measures sizes and times of every public screen on a slow phone: npm run bench -- pages
import { BUDGETS } from './budgets.mjs';
import { fetchFirstAnswer } from './lib/first-answer.mjs';
import { atMost, sizeAtMost } from './lib/limits.mjs';
import { median } from './lib/median.mjs';
import { PUBLIC_SCREENS } from './lib/screens.mjs';
import { visit } from './lib/slow-phone.mjs';

const ROUNDS = 3;

/** @param {string} screen */
const getIdleLimit = (screen) => (screen === '/sign-in' ? BUDGETS.page.signInIdleJs : BUDGETS.page.idleJs);

/** @type {import('./bench.mjs').Bench} */
export async function pages({ endpoints, browser }) {
  const rows = [];
  for (const screen of PUBLIC_SCREENS) {
    const visits = [];
    for (let round = 0; round < ROUNDS; round += 1) visits.push(await visit(browser, endpoints.appOrigin + screen));
    const middle = (/** @type {keyof import('./lib/slow-phone.mjs').Visit} */ name) =>
      median(visits.map((one) => one[name]));
    rows.push(
      sizeAtMost(
        `${screen}: first answer`,
        await fetchFirstAnswer(endpoints.appOrigin + screen),
        BUDGETS.page.firstAnswer,
      ),
      sizeAtMost(`${screen}: JS until usable`, middle('usableJs'), BUDGETS.page.usableJs),
      sizeAtMost(`${screen}: JS until idle`, middle('idleJs'), getIdleLimit(screen)),
      sizeAtMost(`${screen}: CSS`, middle('css'), BUDGETS.page.css),
      { what: `${screen}: first paint`, value: Math.round(middle('paint')), unit: 'ms' },
      { what: `${screen}: largest paint`, value: Math.round(middle('largestPaint')), unit: 'ms' },
      { what: `${screen}: usable`, value: Math.round(middle('ready')), unit: 'ms' },
      atMost(`${screen}: blocking`, Math.round(middle('totalBlocking')), 'ms', BUDGETS.page.totalBlocking),
      atMost(`${screen}: layout shift`, Number(middle('layoutShift').toFixed(4)), '', BUDGETS.page.layoutShift),
    );
  }
  return rows;
}
