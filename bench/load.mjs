/**
 * Measures response times under load on a single machine for a limited time: the 99th percentile and errors of each
 * kind of request. Usage: npm run bench:load -- [seconds] [connections]; `--write` saves the table in docs/load.md
 */
import autocannon from 'autocannon';
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { getAnyNetwork } from './lib/client.mjs';
import { createPeople } from './lib/people.mjs';
import { report } from './lib/report.mjs';
import { signIn } from './lib/sign-in.mjs';
import { stopServicesOnExit } from '../scripts/lib/processes.mjs';
import { startStack } from '../scripts/lib/stack.mjs';

const [SECONDS = 10, CONNECTIONS = 20] = process.argv
  .slice(2)
  .filter((word) => /^\d+$/.test(word))
  .map(Number);
/** Number of accounts that sign in. Each may create 60 sessions a minute. */
const PEOPLE = 150;
/** Emails take seconds on other systems, so the bench requests a fixed number. */
const MAILS = 400;

stopServicesOnExit();
// The clients are behind a trusted proxy, as in production. Otherwise a single IP address would exceed its rate limits.
const stack = await startStack({ name: 'bench-load', env: { TRUSTED_PROXY_HOPS: '1', LOG_LEVEL: 'warn' } });
const { appOrigin } = stack.endpoints;

/** @typedef {{ method?: 'GET' | 'POST', path: string, expected: number, amount?: number, cookie?: string,
 *   body?: () => unknown }} Kind */

const people = createPeople(stack.endpoints);
const tokens = await Promise.all((await people.create(PEOPLE)).map(people.fetchToken));
let turn = 0;
const nextToken = () => tokens[(turn += 1) % tokens.length] ?? '';
const cookie = await signIn(stack.endpoints, { token: nextToken(), headers: { 'x-forwarded-for': getAnyNetwork() } });

/** @type {Record<string, Kind>} */
const kinds = {
  'The sign-in page': { path: '/sign-in', expected: 200 },
  'An app config': { path: `/api/config/by-origin/${encodeURIComponent(appOrigin)}`, expected: 200 },
  'A session check, signed in': { method: 'POST', path: '/api/check-auth-status', expected: 200, cookie },
  'A session check, signed out': { method: 'POST', path: '/api/check-auth-status', expected: 401 },
  'A page that needs a session': { path: '/security', expected: 200, cookie },
  'Creating a session': {
    method: 'POST',
    path: '/api/create-user-session',
    expected: 200,
    body: () => ({ token: nextToken() }),
  },
  'Requesting a reset code': {
    method: 'POST',
    path: '/api/password-reset',
    expected: 200,
    amount: MAILS,
    body: () => ({ email: `${randomUUID()}@campus.test` }),
  },
};

const rows = [];
let isClean = true;
try {
  for (const [name, kind] of Object.entries(kinds)) {
    await run(kind, { amount: CONNECTIONS * 2 });
    const result = await run(kind, kind.amount ? { amount: kind.amount } : { duration: SECONDS });
    const answers = Object.entries(result.statusCodeStats ?? {});
    const others = answers.filter(([status]) => Number(status) !== kind.expected);
    const wrong = others.reduce((sum, [, { count = 0 }]) => sum + count, 0);
    isClean &&= result.errors + wrong === 0;
    const { p50, p99, max } = result.latency;
    rows.push([name, result.requests.total, Math.round(result.requests.average), p50, p99, max, result.errors, wrong]);
    console.log(`${name}: p99 ${p99} ms, ${result.errors} errors, ${wrong} other responses`);
  }
} finally {
  await stack.stop();
}

const HEAD = [
  'call',
  'calls',
  'per second',
  'median, ms',
  'p99, ms',
  'longest, ms',
  'errors, timeouts',
  'other responses',
];
const setting = `${CONNECTIONS} connections, ${SECONDS} s per call, Node ${process.versions.node}. The app, the emulator, the mailbox and the load itself share ${os.availableParallelism()} processors.`;
report('measured', setting, [HEAD, HEAD.map((_, i) => (i === 0 ? '---' : '--:')), ...rows]);
process.exitCode = isClean ? 0 : 1;

/** @param {Kind} kind @param {{ amount?: number, duration?: number }} extent */
function run({ method = 'GET', path: where, cookie: session, body }, extent) {
  const headers = {
    origin: appOrigin,
    ...(body && { 'content-type': 'application/json' }),
    ...(session && { cookie: session }),
  };
  return autocannon({
    url: appOrigin,
    connections: CONNECTIONS,
    timeout: 10,
    ...extent,
    requests: [
      {
        method,
        path: where,
        setupRequest: (request) => ({
          ...request,
          headers: { ...headers, 'x-forwarded-for': getAnyNetwork() },
          ...(body && { body: JSON.stringify(body()) }),
        }),
      },
    ],
  });
}
