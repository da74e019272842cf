import { expect, test } from 'vitest';
import { chooseSteps } from './test-run.mjs';

test('quick leaves out what needs a build or a browser', () => {
  const quick = chooseSteps(['quick']);
  expect(quick.map(({ name }) => name)).toEqual(['lint', 'unit', 'types', 'format', 'spelling', 'integration']);
  expect(quick.flatMap(({ needs = [] }) => needs)).not.toContain('browser');
});

test('only quick lints from a cache: a change in the types of another file would go unnoticed', () => {
  expect(chooseSteps(['quick']).find(({ name }) => name === 'lint')?.command).toContain('--cache');
  expect(chooseSteps(['lint']).flatMap(({ command }) => command)).not.toContain('--cache');
});

test('an unknown step is named with those there are', () => {
  expect(() => chooseSteps(['lint', 'units'])).toThrow(/^No such step: units\. There are: build, lint,/);
});
