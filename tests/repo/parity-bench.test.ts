// Threats: enumeration
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NOT_ABOUT_ACCOUNTS, PARITY_CALLS } from '@/bench/lib/parity-calls.mjs';
import { tellApart } from '@/bench/lib/tell-apart.mjs';

type Operation = { requestBody?: object };

test('the bench of response times has every call that takes an address, or the flow of one', () => {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const found = Object.entries(paths)
    .filter(([, { post }]) => /"(email|flow)"/.test(JSON.stringify(post?.requestBody ?? {})))
    .map(([path]) => path);
  expect(found.sort()).toEqual([...Object.keys(PARITY_CALLS), ...NOT_ABOUT_ACCOUNTS].sort());
});

/** Response times around 8 ms with a long tail, the same in every run. */
function createTimes(count: number, seed: number, shift = 0): number[] {
  let state = seed;
  const next = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  return Array.from({ length: count }, () => 7 + shift - Math.log(next() || 1));
}

test('times of one distribution are alike', () => {
  const found = tellApart({ known: createTimes(1000, 11), unknown: createTimes(1000, 12) });
  expect(found).toMatchObject({ isAlike: true });
  expect(found.guessed).toBeCloseTo(0.5, 1);
});

test.each([
  ['slower', 1],
  ['faster', -1],
])('known addresses that are %s are told apart', (_, shift) => {
  const found = tellApart({ known: createTimes(200, 11, shift), unknown: createTimes(200, 12) });
  expect(found).toMatchObject({ isAlike: false });
  expect(found.guessed).toBeGreaterThan(0.7);
});

test('a difference that leaves the medians alone is found by guessing', () => {
  // As by rounding: most of one kind are on both sides of the other.
  const unknown = Array.from({ length: 200 }, (_, i) => 10 + (i % 10) / 100);
  const known = unknown.map((value, i) => (i % 5 < 2 ? value + 5 : value - (i % 5 === 2 ? 0 : 0.05)));
  expect(tellApart({ known, unknown })).toMatchObject({ isAlike: false });
});
