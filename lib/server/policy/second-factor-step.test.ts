// Threats: factor-skipped
import { expect, test } from 'vitest';
import { getSecondFactorStep } from './sign-in';

const flags = [false, true] as const;
const cases = flags.flatMap((hasSecondFactor) =>
  ([1, 2] as const).flatMap((assurance) =>
    flags.flatMap((isRemembered) =>
      flags.map((requiresSecondFactor) => ({ hasSecondFactor, assurance, isRemembered, requiresSecondFactor })),
    ),
  ),
);

/** Written from docs/account-policy.md. */
function getExpected({ hasSecondFactor, assurance, isRemembered, requiresSecondFactor }: (typeof cases)[number]) {
  if (assurance === 2) return null;
  if (hasSecondFactor) return isRemembered ? null : 'second-factor-required';
  return requiresSecondFactor ? 'second-factor-setup-required' : null;
}

test.each(cases)('%o', (given) => {
  expect(getSecondFactorStep(given, given)).toBe(getExpected(given));
});
