import { expect, test } from 'vitest';
import { nodeProblem } from './begin.mjs';

test.each(['20.9.0', '20.20.2', '22.0.0', '24.1.0'])('Node %s is accepted', (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});

test.each(['20.8.1', '18.20.0', '8.17.0'])('Node %s is refused in one line', (version) => {
  expect(nodeProblem(version)).toBe(`This project needs Node 20.9 or newer; this is Node ${version}.`);
});
