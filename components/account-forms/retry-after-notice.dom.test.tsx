import { act, cleanup, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { renderWithTexts } from '@/tests/support/render';
import { RetryAfterNotice } from './retry-after-notice';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** Renders a form that rerenders while the user types, each time with a new callback. */
function Example({ failure, onExpire }: { failure: { retryAfter: number | null }; onExpire: () => void }) {
  const [, setTyped] = useState(0);
  return (
    <>
      <input onClick={() => setTyped((count) => count + 1)} />
      <RetryAfterNotice failure={failure} onExpire={() => onExpire()} />
    </>
  );
}

it('reports the end of a rate limit once and on time, even if the form renders again before', () => {
  const onExpire = vi.fn();
  renderWithTexts(<Example failure={{ retryAfter: 60 }} onExpire={onExpire} />);
  expect(screen.getByText('You can try again in 60 seconds.')).toBeTruthy();
  act(() => void vi.advanceTimersByTime(40_000));
  act(() => screen.getByRole('textbox').click());
  act(() => void vi.advanceTimersByTime(19_999));
  expect(onExpire).not.toHaveBeenCalled();
  act(() => void vi.advanceTimersByTime(1));
  expect(onExpire).toHaveBeenCalledTimes(1);
});

it.each([
  [3_590, 'You can try again in 60 minutes.'],
  [86_000, 'You can try again in 24 hours.'],
])('shows a limit of %i seconds in a larger unit', (retryAfter, text) => {
  renderWithTexts(<Example failure={{ retryAfter }} onExpire={() => undefined} />);
  expect(screen.getByText(text)).toBeTruthy();
});

it('shows nothing if there is no limit', () => {
  renderWithTexts(<Example failure={{ retryAfter: null }} onExpire={() => undefined} />);
  expect(screen.queryByText(/You can try again/)).toBeNull();
});
