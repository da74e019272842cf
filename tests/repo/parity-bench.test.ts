// Threats: enumeration
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NOT_BY_ADDRESS, PARITY_CALLS } from '@/bench/lib/parity-calls.mjs';
import { tellApart } from '@/bench/lib/tell-apart.mjs';

type Operation = { requestBody?: object; parameters?: object[]; security: object[] };

// Generated from the routes, as openapi.test.ts verifies.
const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => ({ path, ...operation })),
);

test('the bench of response times has every call that needs no session, or says why there is nothing to compare', () => {
  const open = operations.filter(({ security }) => security.length === 0).map(({ path }) => path);
  expect(open.sort()).toEqual([...Object.keys(PARITY_CALLS), ...Object.keys(NOT_BY_ADDRESS)].sort());
});

test('the bench of response times measures every call that takes an address, or the flow of one', () => {
  const found = operations.filter(({ requestBody = {}, parameters = [] }) =>
    /"(email|flow)"/.test(JSON.stringify([requestBody, parameters])),
  );
  // Of the first, only the domain counts. An operator's token may read accounts, and any other is refused before that.
  // The last one needs a session, and reads only that session's account before its response.
  const others = ['/api/enterprise/lookup', '/api/admin/accounts', '/api/account/email'];
  const measured = [...Object.keys(PARITY_CALLS), ...others];
  expect(found.map(({ path }) => path).sort()).toEqual(measured.sort());
});

/** Numbers from 0 to 1, the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
/** As many samples of a kind as the bench takes. */
const SAMPLES = 200;
/** Response times around 8 ms with a long tail. @param leak of the share of known addresses, in milliseconds */
function createTimes(seed: number, { leak = 0, share = 1 } = {}) {
  const random = createRandom(seed);
  const draw = () => 7 - Math.log(random() || 1);
  const known = Array.from({ length: SAMPLES }, () => draw() + (random() < share ? leak : 0));
  return { known, unknown: Array.from({ length: SAMPLES }, draw) };
}
const countVerdicts = (runs: number, leak: Parameters<typeof createTimes>[1]) => {
  const verdicts = { alike: 0, differ: 0, undecided: 0 };
  for (let seed = 1; seed <= runs; seed += 1)
    verdicts[tellApart(createTimes(seed, leak), createRandom(seed + 1_000)).verdict] += 1;
  return verdicts;
};

test('times of one distribution are not said to differ, but by chance', () => {
  const { differ, alike } = countVerdicts(10, {});
  expect(differ).toBe(0);
  expect(alike).toBeGreaterThanOrEqual(8);
});

test.each([
  ['slower', { leak: 1 }],
  ['faster', { leak: -1 }],
  ['slower at times, as by rounding', { leak: 500, share: 0.25 }],
])('known addresses that are %s are told apart, each time', (_, leak) => {
  expect(countVerdicts(3, leak)).toEqual({ alike: 0, differ: 3, undecided: 0 });
});

test('what the samples cannot decide is no pass', () => {
  // A machine so busy that times range from some milliseconds to seconds.
  const random = createRandom(8);
  const draw = () => Math.exp(8 * random());
  const times = { known: Array.from({ length: SAMPLES }, draw), unknown: Array.from({ length: SAMPLES }, draw) };
  const { verdict, difference, chance } = tellApart(times, random);
  expect(difference).toBeGreaterThan(0.05);
  expect(chance.difference).toBeGreaterThan(difference);
  expect(verdict).toBe('undecided');
});

test('a difference that leaves the medians alone is found by guessing', () => {
  // As by rounding: most of one kind are on both sides of the other.
  const unknown = Array.from({ length: SAMPLES }, (_, i) => 10 + (i % 10) / 100);
  const known = unknown.map((value, i) => (i % 5 < 2 ? value + 5 : value - (i % 5 === 2 ? 0 : 0.05)));
  const { difference, verdict } = tellApart({ known, unknown }, createRandom(1));
  expect(difference).toBeLessThan(0.05);
  expect(verdict).toBe('differ');
});

test('samples that were not taken are no pass', () => {
  expect(tellApart({ known: [], unknown: [] }).verdict).not.toBe('alike');
});
