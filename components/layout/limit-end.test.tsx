// @vitest-environment happy-dom
import { act, cleanup, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { renderWithTexts } from '@/tests/support/render';
import { LimitEnd } from './limit-end';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** A form that is drawn anew while somebody types, each time with a callback of its own. */
function Example({ failure, onOver }: { failure: { retryAfter: number | null }; onOver: () => void }) {
  const [, setTyped] = useState(0);
  return (
    <>
      <input onClick={() => setTyped((count) => count + 1)} />
      <LimitEnd failure={failure} onOver={() => onOver()} />
    </>
  );
}

it('tells the end of a limit once, on time, although the form is drawn anew meanwhile', () => {
  const onOver = vi.fn();
  renderWithTexts(<Example failure={{ retryAfter: 60 }} onOver={onOver} />);
  expect(screen.getByText('You can try again in 60 seconds.')).toBeTruthy();
  act(() => void vi.advanceTimersByTime(40_000));
  act(() => screen.getByRole('textbox').click());
  act(() => void vi.advanceTimersByTime(19_999));
  expect(onOver).not.toHaveBeenCalled();
  act(() => void vi.advanceTimersByTime(1));
  expect(onOver).toHaveBeenCalledTimes(1);
});

it('counts long limits in minutes, and says nothing where none is known', () => {
  renderWithTexts(<Example failure={{ retryAfter: 3_590 }} onOver={() => undefined} />);
  expect(screen.getByText('You can try again in 60 minutes.')).toBeTruthy();
  cleanup();
  renderWithTexts(<Example failure={{ retryAfter: null }} onOver={() => undefined} />);
  expect(screen.queryByText(/You can try again/)).toBeNull();
});
