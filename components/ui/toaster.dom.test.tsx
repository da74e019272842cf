import { act, cleanup, screen } from '@testing-library/react';
import { readFileSync } from 'node:fs';
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

it('shows it bottom-right', () => {
  const styles = readFileSync('components/ui/toaster.module.css', 'utf8');
  expect(styles).toMatch(/\.stack \{[^}]*inset-block-end:/);
  expect(styles).toMatch(/\.stack \{[^}]*inset-inline-end:/);
});
