// Rate of the session check, against the API route of an app that does nothing else: npm run bench -- session
import { Agent, request } from 'node:http';
import { startEmptyApp } from './lib/empty-app.mjs';
import { isImageNode } from './lib/image-node.mjs';
import { signIn } from './lib/sign-in.mjs';
import { BUDGETS } from './budgets.mjs';
import { median } from './lib/median.mjs';

/** Short alternating rounds: temporary load on the machine slows both. */
const ROUNDS = 40;
const WARM_UP = 5;
const ROUND_MS = 500;
const AT_ONCE = 16;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** @type {import('./bench.mjs').Bench} */
export async function sessionCheck({ endpoints }) {
  const cookie = await signIn(endpoints);
  const empty = await startEmptyApp();
  const calls = {
    check: () => call(`${endpoints.appOrigin}/api/check-auth-status`, cookie),
    nothing: () => call(empty.url, cookie),
  };
  /** @type {number[]} */
  const shares = [];
  /** @type {{ check: number[], nothing: number[] }} */
  const rates = { check: [], nothing: [] };
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const nothing = await measureRate(calls.nothing);
    const check = await measureRate(calls.check);
    if (round < WARM_UP) continue;
    shares.push(check / nothing);
    rates.check.push(check);
    rates.nothing.push(nothing);
  }
  await empty.stop();
  const share = Number(median(shares).toFixed(2));
  const verdict = isImageNode ? { budget: `≥ ${BUDGETS.sessionCheck}`, ok: share >= BUDGETS.sessionCheck } : {};
  return [
    { what: 'session check', value: Math.round(median(rates.check)), unit: '1/s' },
    { what: 'empty route of an empty app', value: Math.round(median(rates.nothing)), unit: '1/s' },
    { what: `share, on Node ${process.versions.node}`, value: share, unit: '', ...verdict },
  ];
}

/** @param {() => Promise<void>} one @returns requests per second */
async function measureRate(one) {
  const begin = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (performance.now() - begin < ROUND_MS) {
        await one();
        done += 1;
      }
    }),
  );
  return (done / (performance.now() - begin)) * 1000;
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
