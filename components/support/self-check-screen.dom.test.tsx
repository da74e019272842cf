import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { renderAtOrigin } from '@/tests/support/render';
import { SelfCheckScreen } from './self-check-screen';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('announces what was found in a region that was there before', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')));
  vi.stubGlobal('open', () => null);
  renderAtOrigin(['password'], <SelfCheckScreen />);
  const [region] = within(screen.getByRole('main')).getAllByRole('status');
  expect(region?.textContent).toBe('');
  await userEvent.click(screen.getByRole('button', { name: 'Start the check' }));
  await waitFor(() => expect(region?.textContent).toMatch(/^Something/));
});
