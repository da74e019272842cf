/**
 * What expired events cost a sign-in: rows that are deleted, as the app does, and partitions that are dropped. By turns, on two databases of this
 * machine: npm run bench:partitions -- [million events]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { median } from './lib/median.mjs';
import { freePorts } from '../scripts/lib/ports.mjs';
import { startPostgres } from '../scripts/lib/postgres.mjs';
import { stopServicesOnExit } from '../scripts/lib/processes.mjs';
import { loadSource } from '../scripts/lib/source-loader.mjs';

const millions = Number(process.argv.slice(2).find((word) => /^[\d.]+$/.test(word)) ?? 10);
const ACCOUNTS = 200_000;
/** One more than are kept for each turn. */
const ROUNDS = 5;
const KEPT_MONTHS = 13;
/** Sign-ins at the same time. */
const LANES = 8;
const CALM_MS = 6_000;
const now = new Date();

stopServicesOnExit();
// The modules of the app read its configuration.
Object.assign(process.env, { FIREBASE_AUTH_EMULATOR_HOST: 'localhost:1', LOG_LEVEL: 'warn' });
const dir = mkdtempSync(path.join(os.tmpdir(), 'partitions-'));
const server = await startPostgres({ port: (await freePorts(1))[0] ?? 0, dir });
const { openRecords } = loadSource('/lib/server/storage/records/index.ts');
const { insertEvent } = loadSource('/lib/server/storage/records/events.ts');
const { deleteExpired } = loadSource('/lib/server/storage/records/retention.ts');

const months = Array.from({ length: KEPT_MONTHS + ROUNDS + 1 }, (_, i) => monthsAgo(KEPT_MONTHS + ROUNDS - i));
const plain = await create('plain');
const divided = await create('divided', true);
console.log(`${millions} million events in each`);

/** @type {Record<string, number[]>} */
const times = { calm: [], deleting: [], dropping: [] };
/** @type {Record<string, number[]>} */
const lasted = { deleting: [], dropping: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  // A month expires with each round: the clock goes on.
  const oldest = months[round + 1] ?? now;
  const later = new Date(oldest);
  later.setUTCMonth(later.getUTCMonth() + KEPT_MONTHS);
  await signInDuring(plain, 'calm', sleep(CALM_MS));
  await signInDuring(plain, 'deleting', deleteExpired(plain.records, later));
  await signInDuring(divided, 'calm', sleep(CALM_MS));
  await signInDuring(divided, 'dropping', dropMonth(round));
}
const [left] = await Promise.all([count(plain), count(divided)]);
console.log(`${left} rows left`);
await Promise.all([plain, divided].map(({ records, pool }) => Promise.all([records.close(), pool.end()])));
await server.stop();
rmSync(dir, { recursive: true, force: true });

const percentile = (/** @type {number[]} */ list, /** @type {number} */ part) =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length * part)] ?? NaN;
const row = (/** @type {string} */ name, /** @type {string} */ what) => {
  const list = times[name] ?? [];
  const long = lasted[name] ? `${(median(lasted[name] ?? []) / 1000).toFixed(1)} s` : '';
  const cells = [median(list), percentile(list, 0.99), Math.max(...list)].map((value) => value.toFixed(1));
  return `| ${[what, long, list.length, ...cells].join(' | ')} |`;
};
const setting = `${millions} million events in ${months.length} months, ${ROUNDS} rounds by turns, ${LANES} sign-ins at the same time, PostgreSQL ${(await import('node:child_process')).execFileSync('sh', ['-c', 'ls /usr/lib/postgresql 2>/dev/null | tail -1'], { encoding: 'utf8' }).trim()}, ${os.availableParallelism()} processors, load average ${os.loadavg()[0]?.toFixed(0)}.`;
const text = [
  setting,
  '',
  '| while | a month takes | sign-ins written | median, ms | p99, ms | longest, ms |',
  '| --- | --: | --: | --: | --: | --: |',
  row('calm', 'nothing else happens'),
  row('deleting', 'a month of rows is deleted'),
  row('dropping', 'a month is detached and dropped'),
].join('\n');
console.log(text);

function monthsAgo(/** @type {number} */ amount) {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - amount, 1));
}

function getPartition(/** @type {number} */ month) {
  return `events_${months[month]?.toISOString().slice(0, 7).replace('-', '_')}`;
}

/** A database of the app, with events; `isDivided`: by month. @param {string} name @param {boolean} [isDivided] */
async function create(name, isDivided = false) {
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = server.url.replace(/\/postgres$/, `/${name}`);
  const records = await openRecords({ kind: 'postgres', url });
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  await pool.query(
    `insert into accounts (uid, seen_at) select 'learner-' || i, now() from generate_series(0, ${ACCOUNTS - 1}) i`,
  );
  if (isDivided) {
    await pool.query(`alter table events rename to events_whole`);
    await pool.query(`alter index events_of_account rename to whole_of_account`);
    await pool.query(`alter index events_by_age rename to whole_by_age`);
    await pool.query(
      `create table events (like events_whole including defaults including constraints) partition by range (at)`,
    );
    for (const [i, month] of months.entries()) {
      const until = months[i + 1]?.toISOString() ?? '2100-01-01';
      await pool.query(
        `create table ${getPartition(i)} partition of events for values from ('${month.toISOString()}') to ('${until}')`,
      );
    }
    await pool.query('drop table events_whole');
  } else {
    await pool.query('drop index events_of_account');
    await pool.query('drop index events_by_age');
    await pool.query('alter table events drop constraint events_pkey');
  }
  // As events come: in the order of time.
  const first = months[0]?.getTime() ?? 0;
  const slice = (now.getTime() - first) / 10;
  const share = Math.round((millions * 1_000_000) / 10);
  for (let part = 0; part < 10; part += 1)
    await pool.query(
      `insert into events (id, uid, kind, at, network, browser, system, method)
       select gen_random_uuid(), 'learner-' || floor(random() * ${ACCOUNTS}), 'signed-in', to_timestamp($1::float8 + $2::float8 * i / ${share}), '203.0.113.0/24', 'Firefox', 'Windows', 'password' from generate_series(1, ${share}) i`,
      [(first + part * slice) / 1000, slice / 1000],
    );
  await pool.query(`alter table events add primary key (id${isDivided ? ', at' : ''})`);
  await pool.query('create index events_of_account on events (uid, at, id)');
  await pool.query('create index events_by_age on events (at)');
  if (isDivided) await pool.query('alter table events add foreign key (uid) references accounts on delete cascade');
  await pool.query('vacuum analyze');
  return { records, pool };
}

/** Takes one month out without waiting for its writers, and then away. @param {number} month */
async function dropMonth(month) {
  await divided.pool.query(`alter table events detach partition ${getPartition(month)} concurrently`);
  // Its foreign key takes a lock on the accounts, for a moment: who waits for that must not hold others up.
  const client = await divided.pool.connect();
  await client.query(`set lock_timeout = '200ms'`);
  const isDropped = () =>
    client.query(`drop table ${getPartition(month)}`).then(
      () => true,
      (/** @type {{ code?: string }} */ error) => {
        if (error.code === '55P03') return false;
        throw error;
      },
    );
  while (!(await isDropped())) await sleep(100);
  client.release();
}

/**
 * Writes sign-ins as the app does, until the work is done.
 * @param {{ records: any }} database @param {string} name @param {Promise<unknown>} work
 */
async function signInDuring({ records }, name, work) {
  let isDone = false;
  const begin = performance.now();
  const end = work.then(() => {
    isDone = true;
    lasted[name]?.push(performance.now() - begin);
  });
  const lane = async () => {
    while (!isDone) {
      const uid = `learner-${Math.floor(Math.random() * ACCOUNTS)}`;
      const start = performance.now();
      await insertEvent(records, { uid, kind: 'signed-in', at: new Date(), method: 'password' });
      times[name]?.push(performance.now() - start);
    }
  };
  await Promise.all([end, ...Array.from({ length: LANES }, lane)]);
}

/** @param {{ pool: pg.Pool }} database */
async function count({ pool }) {
  return (await pool.query('select count(*)::int as count from events')).rows[0].count;
}
