import { act, cleanup, screen } from '@testing-library/react';
import { readFileSync } from 'node:fs';
import { toast } from 'react-hot-toast/headless';
import { afterEach, expect, it, vi } from 'vitest';
import { renderWithTexts } from '@/tests/support/render';
import Toaster, { addToast } from './toaster';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it('shows a toast for 5 s', () => {
  vi.useFakeTimers();
  renderWithTexts(<Toaster />);
  act(() => addToast('success', 'Your address is confirmed.'));
  const isShown = () => screen.queryByText('Your address is confirmed.') !== null;
  act(() => void vi.advanceTimersByTime(4_900));
  expect(isShown()).toBe(true);
  act(() => void vi.advanceTimersByTime(200));
  expect(isShown()).toBe(false);
});

it('waits in a tab that is hidden until it is seen', () => {
  const state = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  renderWithTexts(<Toaster />);
  const isShown = () => screen.queryByText('You were signed out.') !== null;
  act(() => addToast('info', 'You were signed out.'));
  expect(isShown()).toBe(false);
  state.mockReturnValue('visible');
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
  expect(isShown()).toBe(true);
  state.mockRestore();
});

it('gives the focus back when it is closed, or else to the heading', () => {
  renderWithTexts(
    <>
      <h1>Sign in</h1>
      <button type="button">Resend code</button>
      <Toaster />
    </>,
  );
  const closeFrom = (place: HTMLElement | null) => {
    act(() => addToast('info', 'You were signed out.'));
    place?.focus();
    const close = screen.getByRole('button', { name: 'Close' });
    act(() => close.focus());
    act(() => close.click());
    act(() => toast.remove());
  };
  closeFrom(screen.getByText('Resend code'));
  expect(document.activeElement?.textContent).toBe('Resend code');
  act(() => (document.activeElement as HTMLElement).blur());
  closeFrom(null);
  expect(document.activeElement?.tagName).toBe('H1');
});

it('shows it bottom-right', () => {
  const styles = readFileSync('components/ui/toaster.module.css', 'utf8');
  expect(styles).toMatch(/\.stack \{[^}]*inset-block-end:/);
  expect(styles).toMatch(/\.stack \{[^}]*inset-inline-end:/);
});
