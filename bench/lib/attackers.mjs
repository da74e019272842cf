// Runs the attackers of bench/attack.mjs in a separate process, so that their work does not affect the learners' times.
import autocannon from 'autocannon';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { request } from 'node:http';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { getNetwork, post as send } from './client.mjs';

const { origin, sizes, victims, stolen, floodSeconds } = JSON.parse(process.env.ATTACK ?? '{}');
/** Requests for each address of an email bomb. */
const BOMBS_OF_VICTIM = 60;
const GUESSES_OF_FLOW = 40;
/** Concurrent attempts of a stuffing attack. */
const LANES = 32;
const SLOW_MS = 120_000;
const TRICKLE_MS = 5_000;
const ENDLESS_MS = 20_000;

// Real attackers have their own machines, so run them with the lowest priority here. Linux first divides the processors
// among sessions, and a priority only counts within a session. So lower the session too.
os.setPriority(os.constants.priority.PRIORITY_LOW);
const ofSession = '/proc/self/autogroup'; // cspell:disable-line
if (existsSync(ofSession)) writeFileSync(ofSession, '19');

const getAttacker = (/** @type {number} */ i) => getNetwork(i % sizes.networks);

/** @param {string} route @param {object} body @param {string} from @param {Record<string, string>} [more] headers */
async function post(route, body, from, more = {}) {
  const answer = await send(origin + route, { from, body, headers: { origin, ...more } }).catch(() => null);
  return {
    status: 0,
    body: /** @type {any} */ ({}),
    cookies: [],
    ...answer,
    code: answer ? answer.body.code : 'no answer',
  };
}

/** Runs all calls at a bounded rate. @param {number} count @param {(i: number) => Promise<void>} work */
async function paced(count, work) {
  let next = 0;
  const begin = performance.now();
  const lane = async () => {
    while (next < count) {
      const i = next++;
      const early = begin + (i / sizes.rate) * 1000 - performance.now();
      if (early > 0) await sleep(early);
      await work(i);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Tries forged tokens, and occasionally a token of a stolen password. The response shows whether it is valid. */
async function stuff() {
  const result = { tries: sizes.tries, answered: 0, asked: 0, limited: 0 };
  await paced(sizes.tries, async (i) => {
    const claims = Buffer.from(JSON.stringify({ sub: `guess-${i}`, email: `${i}@campus.test` })).toString('base64url');
    const token = i % 100 === 0 ? stolen[(i / 100) % stolen.length] : `eyJhbGciOiJub25lIn0.${claims}.`;
    const { code, status } = await post('/api/create-user-session', { token }, getAttacker(i));
    if (code === 'proof-required') result.asked += 1;
    else if (status === 429 || status === 0) result.limited += 1;
    else result.answered += 1;
  });
  return result;
}

async function bomb() {
  const routes = ['/api/password-reset', '/api/email-link', '/api/sign-in-help'];
  const bombs = victims.length * BOMBS_OF_VICTIM;
  await paced(bombs, async (i) => {
    const email = victims[i % victims.length];
    await post(routes[Math.floor(i / victims.length) % routes.length] ?? '', { email }, getAttacker(i * 7));
  });
  return { bombs };
}

/** Guesses the victim's code, which the attacker has requested, in all processes simultaneously. */
async function guess() {
  let mostCompared = 0;
  for (let i = 0; i < sizes.flows; i += 1) {
    const network = getNetwork(i, 100);
    const asked = await post('/api/password-reset', { email: `flow-${i}@campus.test` }, network);
    const cookie = asked.cookies.map((/** @type {string} */ each) => each.split(';')[0]).join('; ');
    const answers = await Promise.all(
      Array.from({ length: GUESSES_OF_FLOW }, (_, n) =>
        post(
          '/api/password-reset/confirm',
          { flow: asked.body.flow, code: `A${String(n).padStart(5, 'B')}`.slice(0, 6), password: 'quiet-lantern-42' },
          network,
          { cookie },
        ),
      ),
    );
    mostCompared = Math.max(mostCompared, answers.filter(({ code }) => code === 'code-wrong').length);
  }
  return { flows: sizes.flows, mostCompared };
}

/** Opens connections that occasionally send a byte of a header. */
async function trickle() {
  const { host, port } = new URL(origin);
  const begin = performance.now();
  let [slow, slowClosed, slowSeconds] = [0, 0, 0];
  const sockets = Array.from({ length: sizes.slow }, (_, i) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: getAttacker(i) });
    socket.on('error', () => undefined);
    socket.on('connect', () => {
      slow += 1;
      socket.on('close', () => {
        slowClosed += 1;
        slowSeconds = Math.round((performance.now() - begin) / 1000);
      });
    });
    socket.on('data', () => undefined);
    socket.write(`POST /api/create-user-session HTTP/1.1\r\nhost: ${host}\r\n`);
    return socket;
  });
  const timer = setInterval(() => sockets.forEach((socket) => socket.writable && socket.write('x')), TRICKLE_MS);
  while (slowClosed < sizes.slow && performance.now() < begin + SLOW_MS) await sleep(1_000);
  clearInterval(timer);
  const result = { slow, slowClosed, slowSeconds };
  sockets.forEach((socket) => socket.destroy());
  return result;
}

/** Sends bodies with a too large declared size, and bodies that never end. */
async function overfeed() {
  /** @type {Record<string, number>} */
  const bodyAnswers = {};
  await paced(sizes.bodies, async (i) => {
    const answer = await feed(i % 20 === 0);
    bodyAnswers[answer] = (bodyAnswers[answer] ?? 0) + 1;
  });
  return { bodies: sizes.bodies, bodyAnswers };
}

/** @param {boolean} isEndless @returns {Promise<number | 'closed' | 'none'>} the answer */
function feed(isEndless) {
  return new Promise((resolve) => {
    const size = isEndless ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(50_000_000) };
    const { host, port } = new URL(origin);
    const outgoing = request({
      ...{ method: 'POST', host: '127.0.0.1', port, path: '/api/password-reset', localAddress: getNetwork(0, 101) },
      ...{ headers: { host, origin, 'content-type': 'application/json', ...size }, agent: false },
    });
    const chunk = Buffer.alloc(8_192, 'x');
    const timer = setInterval(() => outgoing.writable && outgoing.write(chunk), 20);
    const end = (/** @type {number | 'closed' | 'none'} */ answer) => {
      clearInterval(timer);
      clearTimeout(limit);
      outgoing.destroy();
      resolve(answer);
    };
    const limit = setTimeout(() => end('none'), ENDLESS_MS);
    outgoing.on('response', ({ statusCode = 0 }) => end(statusCode));
    outgoing.on('error', () => end('closed'));
  });
}

let isOver = false;
async function flood() {
  let total = 0;
  const begin = performance.now();
  while (!isOver) {
    const { requests } = await autocannon({
      url: `${origin}/api/check-auth-status`,
      method: 'POST',
      headers: { cookie: '_secure-user-session=forged' },
      connections: 20,
      duration: 5,
    });
    total += requests.total;
  }
  return { floodRate: Math.round((total / (performance.now() - begin)) * 1000) };
}

const flooding = flood();
const results = await (floodSeconds
  ? sleep(floodSeconds * 1000, [])
  : Promise.all([stuff(), bomb(), guess(), trickle(), overfeed()]));
isOver = true;
results.push(/** @type {any} */ (await flooding));
process.send?.(Object.assign({}, ...results));
setTimeout(() => process.exit(0), 200);
