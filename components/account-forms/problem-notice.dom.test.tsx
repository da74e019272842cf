import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { renderWithTexts } from '@/tests/support/render';
import { ProblemNotice } from './problem-notice';

afterEach(cleanup);

it.each(['code-missing', 'code-expired'] as const)('%s: says that the code has expired', (code) => {
  renderWithTexts(<ProblemNotice failure={{ code, retryAfter: null }} onExpire={() => undefined} />);
  expect(screen.getByRole('alert').textContent).toBe('This code has expired. Request a new one.');
});
