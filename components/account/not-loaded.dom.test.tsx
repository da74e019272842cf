import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Suspense } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { renderWithTexts } from '@/tests/support/render';
import { ChangePanel } from './change-panel';
import { lazyPart } from './not-loaded';

// Without an error service, reports go to the console.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

/** Simulates the network of a learner on a train. */
function failing(times: number) {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls <= times) return Promise.reject(new Error('Failed to load chunk'));
    return Promise.resolve({ default: ({ name }: { name: string }) => <p>{`Here is ${name}.`}</p> });
  };
}
const tryAgain = () => userEvent.click(screen.getByRole('button', { name: 'Try again' }));

it('loads again in place, as often as it takes, and tells each failure', async () => {
  const Part = lazyPart(failing(2));
  const open = () =>
    renderWithTexts(
      <ChangePanel stage="app" text="Set it up" onCancel={() => undefined}>
        <Suspense>
          <Part name="the key" />
        </Suspense>
      </ChangePanel>,
    );
  open();
  const first = await screen.findByRole('alert');
  expect(first.textContent).toContain("Part of this page didn't load");
  await tryAgain();
  const second = await screen.findByRole('alert');
  expect(second).not.toBe(first);
  await tryAgain();
  await screen.findByText('Here is the key.');
  expect(screen.queryByRole('alert')).toBeNull();
  // Pressing the button removed it, together with its focus.
  expect(document.activeElement).toBe(screen.getByRole('group', { name: 'Set it up' }));
  cleanup();
  open();
  await screen.findByText('Here is the key.');
});

it('has what its place needs besides, such as a way back', async () => {
  const Part = lazyPart(failing(1), ({ name, failures, children }) => (
    <div data-failures={failures}>
      <p>{`No ${name}.`}</p>
      {children}
    </div>
  ));
  renderWithTexts(
    <Suspense>
      <Part name="panel" />
    </Suspense>,
  );
  await screen.findByText(/^No panel\./);
  await tryAgain();
  await screen.findByText('Here is panel.');
});
