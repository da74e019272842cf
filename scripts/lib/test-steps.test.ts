import { expect, test } from 'vitest';
import { chooseSteps } from './test-run.mjs';

test('quick leaves out what needs a build or a browser', () => {
  const quick = chooseSteps(['quick']).steps;
  expect(quick.map(({ name }) => name)).toEqual(['integration', 'unit', 'lint', 'format', 'spelling']);
  expect(quick.flatMap(({ needs = [] }) => needs)).not.toContain('browser');
});

test('an unknown step is named with those there are', () => {
  expect(() => chooseSteps(['lint', 'units'])).toThrow(/^No such step: units\. There are: build, integration, e2e,/);
});

test('the second tier runs the same steps: which tests they leave out is decided by their names', () => {
  const [first, all] = [chooseSteps([]), chooseSteps(['all'])];
  expect([first.tier, all.tier]).toEqual(['first', 'all']);
  expect(all.steps).toEqual(first.steps);
  expect(chooseSteps(['all', 'integration']).steps.map(({ name }) => name)).toEqual(['integration']);
});
