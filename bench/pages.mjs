// Sizes and times of every public screen on a slow phone: npm run bench -- pages
import { BUDGETS } from './budgets.mjs';
import { fetchFirstAnswer } from './lib/first-answer.mjs';
import { median } from './lib/median.mjs';
import { PUBLIC_SCREENS } from './lib/screens.mjs';
import { visit } from './lib/slow-phone.mjs';

const ROUNDS = 3;

/** @type {import('./bench.mjs').Bench} */
export async function pages({ endpoints, browser }) {
  const rows = [];
  for (const screen of PUBLIC_SCREENS) {
    const visits = [];
    for (let round = 0; round < ROUNDS; round += 1) visits.push(await visit(browser, endpoints.appOrigin + screen));
    const middle = (/** @type {keyof import('./lib/slow-phone.mjs').Visit} */ name) =>
      median(visits.map((one) => one[name]));
    rows.push(
      ...size(screen, 'first answer', await fetchFirstAnswer(endpoints.appOrigin + screen), BUDGETS.page.firstAnswer),
      ...size(screen, 'JS until usable', middle('usableJs'), BUDGETS.page.usableJs),
      ...size(screen, 'JS until idle', middle('idleJs'), BUDGETS.page.idleJs),
      ...size(screen, 'CSS', middle('css'), BUDGETS.page.css),
      { what: `${screen}: first paint`, value: Math.round(middle('paint')), unit: 'ms' },
      { what: `${screen}: largest paint`, value: Math.round(middle('largestPaint')), unit: 'ms' },
      { what: `${screen}: usable`, value: Math.round(middle('ready')), unit: 'ms' },
      atMost(`${screen}: blocking`, Math.round(middle('totalBlocking')), 'ms', BUDGETS.page.totalBlocking),
      atMost(`${screen}: layout shift`, Number(middle('layoutShift').toFixed(4)), '', BUDGETS.page.layoutShift),
    );
  }
  return rows;
}

/** @param {string} screen @param {string} what @param {number} bytes @param {number} limit */
function size(screen, what, bytes, limit) {
  return [atMost(`${screen}: ${what}`, Number((bytes / 1000).toFixed(1)), 'KB', limit / 1000)];
}

/** @param {string} what @param {number} value @param {string} unit @param {number} limit */
function atMost(what, value, unit, limit) {
  return { what, value, unit, budget: `≤ ${limit}`, ok: value <= limit };
}
