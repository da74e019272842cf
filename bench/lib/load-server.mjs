import autocannon from 'autocannon';
import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findOnPath } from '../../scripts/lib/system-packages.mjs';

const run = promisify(execFile);
const script = path.join(mkdtempSync(path.join(os.tmpdir(), 'wrk-')), 'post.lua');
writeFileSync(script, 'wrk.method = "POST"\n');

/**
 * What sends the load: wrk, in C, which leaves the processors to the servers; without it autocannon, whose process needs as much as a fast
 * server, so that it is a part of what it measures.
 */
export const generator = findOnPath('wrk') === undefined ? 'autocannon' : 'wrk';

/**
 * Sends POST requests without a body as fast as they are answered, from connections that stay open.
 * @param {string} url @param {{ cookie: string, connections: number, seconds: number }} load
 * @returns {Promise<{ count: number, rate: number, p99: number }>} a second, and milliseconds
 * @throws Error when a response was another one than 200
 */
export function loadServer(url, load) {
  return generator === 'wrk' ? loadByWrk(url, load) : loadByAutocannon(url, load);
}

/** @type {typeof loadServer} */
async function loadByWrk(url, { cookie, connections, seconds }) {
  const size = ['-t1', `-c${connections}`, `-d${seconds}s`];
  const { stdout } = await run('wrk', [...size, '--latency', '-s', script, '-H', `Cookie: ${cookie}`, url]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`);
  const read = (/** @type {RegExp} */ pattern) => pattern.exec(stdout)?.slice(1) ?? [];
  const [amount = '', unit = ''] = read(/99%\s+([\d.]+)(us|ms|s)\b/);
  const p99 = Number(amount) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? NaN);
  return { count: Number(read(/(\d+) requests in/)[0]), rate: Number(read(/Requests\/sec:\s+([\d.]+)/)[0]), p99 };
}

/** @type {typeof loadServer} */
async function loadByAutocannon(url, { cookie, connections, seconds }) {
  /** @type {number[]} */
  const times = [];
  const begin = performance.now();
  const load = autocannon({ url, method: 'POST', headers: { cookie }, connections, duration: seconds });
  load.on('response', (_client, status, _bytes, time) => {
    if (status !== 200) throw new Error(`${url} answered ${status}`);
    times.push(time);
  });
  await load;
  const elapsed = (performance.now() - begin) / 1000;
  times.sort((a, b) => a - b);
  return { count: times.length, rate: times.length / elapsed, p99: times[Math.floor(times.length * 0.99)] ?? NaN };
}
