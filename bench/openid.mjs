// Measures an authorization request of a browser with a session, until the code, alternately with the session check. It
// uses a process on PostgreSQL, or on the embedded database if there is none: npm run bench -- openid
import { Agent, request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { getTreeCpuMs } from '../scripts/lib/cpu-time.mjs';
import { freePorts } from '../scripts/lib/ports.mjs';
import { writeOidcFiles } from '../scripts/lib/oidc-files.mjs';
import { createDatabase, findPostgres, startPostgres } from '../scripts/lib/postgres.mjs';
import { startOtherApp } from '../scripts/lib/stack.mjs';
import { BUDGETS } from './budgets.mjs';
import { byTurns } from './lib/by-turns.mjs';
import { atLeast, atMost } from './lib/limits.mjs';
import { measureRate } from './lib/measure-rate.mjs';
import { median } from './lib/median.mjs';
import { signIn } from './lib/sign-in.mjs';

/** Rounds are short, so that temporary load on the machine slows both. */
const ROUNDS = 20;
const ONE_BY_ONE = 20;
const CPU_CALLS = 500;
const AT_ONCE = 16;
const ROUND = { atOnce: AT_ONCE, ms: 500 };
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** @type {import('./bench.mjs').Bench} */
export async function openId({ endpoints: shared }) {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'bench-openid-'));
  const [port = 0] = await freePorts(1);
  const database =
    findPostgres() === undefined
      ? null
      : await startPostgres({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'bench-postgres-')) });
  const school = writeOidcFiles(dir, 4_000);
  // The requests come from many learners, because the limit is by address.
  const records = database && { DATABASE_URL: await createDatabase(database.url) };
  const variables = { ...school.env, TRUSTED_PROXY_HOPS: '1', ...records };
  const app = await startOtherApp(shared, variables);
  const { appOrigin } = app.endpoints;
  await waitForDatabase(appOrigin);
  const cookie = await signIn(app.endpoints);
  const authorize = `${appOrigin}/api/oidc/authorize?${new URLSearchParams({
    ...{ client_id: 'school', redirect_uri: 'http://school.localhost:4000/callback', response_type: 'code' },
    ...{ scope: 'openid profile email', state: 'state-of-the-bench', nonce: 'nonce-of-the-bench', prompt: 'none' },
    ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
  })}`;
  const toCode = () => call('GET', authorize, cookie, (answer) => /[?&]code=/.test(answer.headers.location ?? ''));
  const check = () => call('POST', `${appOrigin}/api/check-auth-status`, cookie, (answer) => answer.statusCode === 200);
  try {
    const [codes, checks] = await byTurns(
      ROUNDS,
      () => measureTime(toCode),
      () => measureTime(check),
    );
    const cpu = { code: await measureCpu(app.pid, toCode), check: await measureCpu(app.pid, check) };
    const [codeRates, checkRates] = await byTurns(
      ROUNDS,
      () => measureRate(toCode, ROUND),
      () => measureRate(check, ROUND),
    );
    const times = codes.map((time, round) => time / (checks[round] ?? NaN));
    return [
      atMost('authorize to code, one by one', Number(median(codes).toFixed(1)), 'ms', BUDGETS.openId.codeMs),
      { what: 'session check, one by one', value: Number(median(checks).toFixed(1)), unit: 'ms' },
      { what: 'the code, in session checks', value: Number(median(times).toFixed(1)), unit: '' },
      atLeast(`codes, ${AT_ONCE} at once`, Math.round(median(codeRates)), '1/s', BUDGETS.openId.rate),
      { what: `session checks, ${AT_ONCE} at once`, value: Math.round(median(checkRates)), unit: '1/s' },
      { what: 'CPU time of a code', value: Number(cpu.code.toFixed(2)), unit: 'ms' },
      { what: 'CPU time of a session check', value: Number(cpu.check.toFixed(2)), unit: 'ms' },
    ];
  } finally {
    await app.stop();
    await database?.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Waits for the database, because a session opened earlier has no record. @param {string} origin */
async function waitForDatabase(origin) {
  for (let tries = 0; tries < 100; tries += 1) {
    const state = await (await fetch(`${origin}/api/health/ready`)).text();
    if (state.includes('"database":"up"')) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('The database does not come up');
}

/**
 * Measures CPU time, which other load changes least. @param {number} pid of the app @param {() => Promise<void>} one
 * @returns {Promise<number>} milliseconds
 */
async function measureCpu(pid, one) {
  const before = getTreeCpuMs(pid);
  for (let count = 0; count < CPU_CALLS; count += 1) await one();
  return (getTreeCpuMs(pid) - before) / CPU_CALLS;
}

/** @param {() => Promise<void>} one @returns {Promise<number>} milliseconds, the median */
async function measureTime(one) {
  /** @type {number[]} */
  const times = [];
  for (let count = 0; count < ONE_BY_ONE; count += 1) {
    const begin = performance.now();
    await one();
    times.push(performance.now() - begin);
  }
  return median(times);
}

let learner = 0;

/**
 * @param {'GET' | 'POST'} method @param {string} url @param {string} cookie
 * @param {(answer: import('node:http').IncomingMessage) => boolean} isRight
 * @returns {Promise<void>}
 */
function call(method, url, cookie, isRight) {
  learner += 1;
  const address = `203.0.${String((learner >> 8) & 255)}.${String(learner & 255)}`;
  const headers = { cookie, origin: new URL(url).origin, accept: 'text/html', 'x-forwarded-for': address };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () =>
        isRight(answer)
          ? resolve()
          : reject(new Error(`${url}: ${answer.statusCode} ${answer.headers.location ?? ''}`)),
      );
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
