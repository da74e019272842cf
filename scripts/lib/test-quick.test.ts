import { expect, test } from 'vitest';
import { getQuickSteps } from './test-quick.mjs';
import { steps } from './test-steps.mjs';

test('quick leaves out what needs a build or a browser', () => {
  expect(getQuickSteps().map(({ name }) => name)).toEqual(['lint', 'unit', 'types', 'format', 'spelling', 'changed']);
  expect(getQuickSteps().flatMap(({ needs = [] }) => needs)).not.toContain('browser');
});

test('only quick lints from a cache: a change in the types of another file would go unnoticed', () => {
  const getLintCommand = (all: typeof steps) => all.find(({ name }) => name === 'lint')?.command;
  expect(getLintCommand(getQuickSteps())).toContain('--cache');
  expect(getLintCommand(steps)).not.toContain('--cache');
});
