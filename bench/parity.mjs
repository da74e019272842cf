// Threats: enumeration
// Compares the response times for known and unknown email addresses: `npm run bench:parity`
import { randomUUID } from 'node:crypto';
import { startStack } from '../scripts/lib/stack.mjs';

const PAIRS = 60;
const AT_ONCE = 4;
/** Two samples of one distribution differ by more than this in 1 of 100 runs (Kolmogorov–Smirnov, equal sizes). */
const CRITICAL = 1.63 * Math.sqrt(2 / PAIRS);

const stack = await startStack({ name: 'bench-parity' });
const { appOrigin, emulatorHost, projectId } = stack.endpoints;
const calls = {
  '/api/password-reset': (email) => ({ email }),
  '/api/registration': (email) => ({ name: 'Bench Person', email, password: 'quiet-lantern-42' }),
  '/api/sign-in-help': (email) => ({ email }),
};

try {
  for (const address of [randomUUID(), randomUUID()])
    await measureTime('/api/password-reset', { email: `${address}@campus.test` });
  console.log('call                  median known / unknown      p90 known / unknown     KS distance (critical)');
  let alike = true;
  for (const [path, getBody] of Object.entries(calls)) {
    const known = await Promise.all(Array.from({ length: PAIRS }, createUser));
    const unknown = known.map(() => `${randomUUID()}@campus.test`);
    const times = { known: [], unknown: [] };
    const task = (kind, email) => async () => times[kind].push(await measureTime(path, getBody(email)));
    // Run the two back to back, so that both meet the same load, and alternate which one runs first.
    await inTurns(
      known.flatMap((email, turn) => {
        const pair = [task('known', email), task('unknown', unknown[turn])];
        return turn % 2 === 0 ? pair : pair.reverse();
      }),
    );
    const [a, b] = [sorted(times.known), sorted(times.unknown)];
    const distance = ksDistance(a, b);
    alike &&= distance <= CRITICAL;
    const pair = (share) => `${at(a, share).toFixed(1)} / ${at(b, share).toFixed(1)} ms`.padEnd(24);
    console.log(`${path.padEnd(22)}${pair(0.5)}    ${pair(0.9)}${distance.toFixed(3)} (${CRITICAL.toFixed(3)})`);
  }
  console.log(alike ? 'The same distribution of times.' : 'The times differ.');
  process.exitCode = alike ? 0 : 1;
} finally {
  await stack.stop();
}

async function createUser() {
  const email = `${randomUUID()}@campus.test`;
  const response = await fetch(
    `http://${emulatorHost}/identitytoolkit.googleapis.com/v1/projects/${projectId}/accounts`,
    {
      method: 'POST',
      headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'correct-horse-7', emailVerified: true }),
    },
  );
  if (!response.ok) throw new Error(await response.text());
  return email;
}

async function measureTime(path, body) {
  const begin = performance.now();
  const response = await fetch(appOrigin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: appOrigin },
    body: JSON.stringify(body),
  });
  await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return performance.now() - begin;
}

async function inTurns(tasks) {
  for (let from = 0; from < tasks.length; from += AT_ONCE)
    await Promise.all(tasks.slice(from, from + AT_ONCE).map((task) => task()));
}

function sorted(values) {
  return [...values].sort((x, y) => x - y);
}

function at(values, share) {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))];
}

/** The largest difference between two cumulative distributions. */
function ksDistance(a, b) {
  const share = (values, limit) => values.filter((value) => value <= limit).length / values.length;
  return Math.max(...[...a, ...b].map((limit) => Math.abs(share(a, limit) - share(b, limit))));
}
