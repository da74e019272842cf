// Measures the rate of /sign-in when a lesson begins, with a different redirect_uri for each learner. It compares a
// process with the nginx of deploy/ in front of it: npm run bench -- lesson
import autocannon from 'autocannon';
import { startNginx } from '../scripts/lib/nginx.mjs';
import { freePorts } from '../scripts/lib/ports.mjs';
import { startOtherApp } from '../scripts/lib/stack.mjs';
import { byTurns } from './lib/by-turns.mjs';
import { atLeast } from './lib/limits.mjs';
import { median } from './lib/median.mjs';
import { BUDGETS } from './budgets.mjs';

const ROUNDS = 10;
const CONNECTIONS = 50;
let learner = 0;

/** @type {import('./bench.mjs').Bench} */
export async function lessonStart({ endpoints }) {
  const [port = 0, checkPort = 0] = await freePorts(2);
  const app = await startOtherApp(endpoints, {
    NEXT_PUBLIC_APP_ORIGIN: `http://localhost:${port}`,
    TRUSTED_PROXY_HOPS: '1',
    CHECK_PORT: String(checkPort),
  });
  const nginx = await startNginx({
    port,
    origins: [app.endpoints.appOrigin],
    checkOrigins: [app.endpoints.checkOrigin],
  });
  const [stored, rendered] = await byTurns(
    ROUNDS,
    () => measureRate(nginx.origin),
    () => measureRate(app.endpoints.appOrigin),
  );
  const states = nginx.readCacheStates('/sign-in');
  await nginx.stop();
  await app.stop();
  const times = Number(median(stored.map((rate, round) => rate / (rendered[round] ?? NaN))).toFixed(1));
  const hits = Number(((100 * states.filter((state) => state === 'HIT').length) / states.length).toFixed(2));
  return [
    { what: 'pages through nginx', value: Math.round(median(stored)), unit: '1/s' },
    { what: 'pages of a process', value: Math.round(median(rendered)), unit: '1/s' },
    atLeast('times as many', times, '', BUDGETS.lessonStart.times),
    atLeast('answered from the cache', hits, '%', BUDGETS.lessonStart.hits),
  ];
}

/** @param {string} origin @returns {Promise<number>} pages a second */
async function measureRate(origin) {
  const begin = performance.now();
  const result = await autocannon({
    url: origin,
    connections: CONNECTIONS,
    duration: 2,
    headers: { 'accept-encoding': 'gzip' },
    requests: [{ setupRequest: (request) => ({ ...request, path: `/sign-in?redirect_uri=${getCallback()}` }) }],
  });
  if (result.non2xx + result.errors > 0)
    throw new Error(`${origin}: ${result.non2xx} refused, ${result.errors} failed`);
  return (result['2xx'] / (performance.now() - begin)) * 1000;
}

function getCallback() {
  learner += 1;
  return encodeURIComponent(`http://localhost:3001/user/courses/${learner}`);
}
