import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { renderWithTexts } from '@/tests/support/render';
import { ProblemNotice } from './problem-notice';

afterEach(cleanup);

it.each(['code-missing', 'code-expired'] as const)('%s: says that the code has expired', (code) => {
  renderWithTexts(<ProblemNotice failure={{ code, retryAfter: null }} hasForm onExpire={() => undefined} />);
  expect(screen.getByRole('alert').textContent).toBe('This code has expired. Request a new one.');
});

it.each(['network', 'provider-unavailable', 'auth/session-unavailable', 'records-unavailable'] as const)(
  '%s: speaks of what was typed only where something can be',
  (code) => {
    const failure = { code, retryAfter: null };
    const { show } = renderWithTexts(<ProblemNotice failure={failure} hasForm onExpire={() => undefined} />);
    const text = () => screen.getByRole('alert').textContent;
    expect(text()).toMatch(/still here/);
    show(<ProblemNotice failure={failure} hasForm={false} onExpire={() => undefined} />);
    expect(text()).not.toMatch(/still here/);
    expect(text()).toMatch(/ry again/);
  },
);
