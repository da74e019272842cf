import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderWithTexts } from '@/tests/support/render';
// The app loads this lazily. It is imported here first, because the test uses fake timers.
import './failure-details';
import { SignInFailureNotice } from './sign-in-failure-notice';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it.each(['auth/email-not-verified', 'auth/too-many-requests'] as const)(
  '%s: says the wait, and ends with it',
  async (code) => {
    vi.useFakeTimers();
    const onExpire = vi.fn();
    renderWithTexts(<SignInFailureNotice failure={{ code, retryAfter: 2_400 }} onExpire={onExpire} />);
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    expect(screen.getByRole('alert').textContent).toMatch(/You can try again in 40 minutes\.$/);
    await act(() => vi.advanceTimersByTimeAsync(2_400_000));
    expect(onExpire).toHaveBeenCalledTimes(1);
  },
);

it('says no wait where there is none', async () => {
  renderWithTexts(
    <SignInFailureNotice failure={{ code: 'auth/email-not-verified', retryAfter: null }} onExpire={() => undefined} />,
  );
  await screen.findByText(/^Confirm your email address first\..* Try again later\.$/);
  expect(screen.queryByText(/You can try again/)).toBeNull();
});
