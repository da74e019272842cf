// Measures the sign-in page and another page alternately: PEER_URL=http://localhost:4000/login npm run bench -- peer
import { BUDGETS } from './budgets.mjs';
import { byTurns } from './lib/by-turns.mjs';
import { atMost } from './lib/limits.mjs';
import { median } from './lib/median.mjs';
import { measurePaint, visit } from './lib/slow-phone.mjs';

const ROUNDS = Number(process.env.PEER_ROUNDS ?? 5);

/**
 * If `PEER_URL` is the sign-in page of another build of this product (`npm run demo` in another worktree), it compares
 * more than the first paint. Only our pages report when they are usable.
 * @type {import('./bench.mjs').Bench}
 */
export async function peer({ endpoints, browser }) {
  const other = process.env.PEER_URL;
  if (!other) {
    console.log('  Left out: PEER_URL names no page to compare with.');
    return [];
  }
  const own = `${endpoints.appOrigin}/sign-in`;
  return (await isOwnBuild(other)) ? compareBuilds(browser, own, other) : comparePaint(browser, own, other);
}

/** @param {string} url */
async function isOwnBuild(url) {
  const policy = (await fetch(url)).headers.get('content-security-policy') ?? '';
  return policy.includes('/api/csp-report');
}

/** @param {import('@playwright/test').Browser} browser @param {string} own @param {string} other */
async function comparePaint(browser, own, other) {
  const [ours, theirs] = await byTurns(
    ROUNDS,
    () => measurePaint(browser, own),
    () => measurePaint(browser, other),
  );
  const peers = Math.round(median(theirs));
  return [
    { what: 'first paint of the other page', value: peers, unit: 'ms' },
    atMost('first paint of /sign-in', Math.round(median(ours)), 'ms', Math.round(peers * BUDGETS.peerPaint)),
  ];
}

/** @param {import('@playwright/test').Browser} browser @param {string} own @param {string} other */
async function compareBuilds(browser, own, other) {
  const [ours, theirs] = await byTurns(
    ROUNDS,
    () => visit(browser, own),
    () => visit(browser, other),
  );
  /** @type {(keyof import('./lib/slow-phone.mjs').Visit)[]} */
  const names = ['usableJs', 'idleJs', 'paint', 'ready', 'totalBlocking'];
  return names.flatMap((name) => {
    const unit = name.endsWith('Js') ? 'bytes' : 'ms';
    const pairs = ours.map((one, round) => one[name] - (theirs[round]?.[name] ?? NaN));
    return [
      { what: `${name} of the other build`, value: Math.round(median(theirs.map((one) => one[name]))), unit },
      { what: `${name} of this build`, value: Math.round(median(ours.map((one) => one[name]))), unit },
      { what: `${name}, difference by pairs`, value: Math.round(median(pairs)), unit },
    ];
  });
}
