import { expect, test } from 'vitest';
import { planSteps } from './test-steps.mjs';

const names = (...given: string[]) => planSteps(given).steps.map(({ name, tier }) => `${name} ${tier}`);

test('quick leaves out what needs a build or a browser', () => {
  const quick = ['format', 'spelling', 'prose', 'markdown', 'lint', 'unit', 'integration'];
  expect(names('quick')).toEqual(quick.map((name) => `${name} quick`));
});

test('chosen steps run in their order, of the first tier or of both', () => {
  expect(names('unit', 'lint')).toEqual(['lint first', 'unit first']);
  expect(names('all', 'e2e')).toEqual(['e2e all']);
  expect(names('all')).toHaveLength(names().length);
});

test('continuous integration runs the whole first tier, and what the second one adds only when that passed', () => {
  expect(planSteps(['ci']).stopsAtFailure).toBe(true);
  expect(names('ci')).toEqual([...names(), 'unit second', 'integration second', 'attacks second', 'e2e second']);
});

test('an unknown step is named with those there are', () => {
  expect(() => planSteps(['lint', 'units'])).toThrow(
    /^No such step: units\. There are: format, spelling, prose, markdown,/,
  );
});
