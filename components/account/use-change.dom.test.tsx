import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { Button } from '@/components/ui/button';
import { renderAtOrigin } from '@/tests/support/render';
import type { NextStep } from './change';
import { ChangePanel } from './change-panel';
import { useChange } from './use-change';

afterEach(cleanup);

type Step = NextStep<string, unknown, unknown>;

function Example({ finish }: { finish: (change: string) => Promise<Step> }) {
  const {
    phase,
    heading,
    press: goOn,
    cancel,
    getButton,
  } = useChange<string, string>((change, at) =>
    at === 'opening' ? Promise.resolve({ name: 'asking' }) : finish(change),
  );
  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        Changes
      </h3>
      <output>{phase.name}</output>
      {phase.name === 'asking' && (
        <ChangePanel stage="ask" text="Sure?" onCancel={cancel}>
          <button onClick={goOn}>Yes</button>
        </ChangePanel>
      )}
      {phase.name !== 'asking' &&
        ['First', 'Second'].map((change) => (
          <Button key={change} {...getButton(change)}>
            {change}
          </Button>
        ))}
    </>
  );
}

const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));

it.each(['First', 'Second'])('a canceled change gives the focus back to its own button: %s', async (change) => {
  renderAtOrigin(['password'], <Example finish={() => Promise.resolve({ name: 'done' })} />);
  await press(change);
  expect(document.activeElement).toBe(screen.getByRole('group'));
  await press('Cancel');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: change })));
});

it.each<[Step, () => Element]>([
  [{ name: 'done' }, () => screen.getByRole('heading')],
  [{ name: 'failed', failure: 'network' }, () => screen.getByRole('button', { name: 'Second' })],
])('the focus moves after $name', async (to, getFocused) => {
  renderAtOrigin(['password'], <Example finish={() => Promise.resolve(to)} />);
  await press('Second');
  await press('Yes');
  await waitFor(() => expect(document.activeElement).toBe(getFocused()));
});

it('ignores the outcome of a change that was replaced', async () => {
  const answers: Record<string, (to: Step) => void> = {};
  renderAtOrigin(['password'], <Example finish={(change) => new Promise((resolve) => (answers[change] = resolve))} />);
  for (const name of ['First', 'Yes', 'Cancel', 'Second', 'Yes']) await press(name);
  await act(() => Promise.resolve(answers.First?.({ name: 'done' })));
  expect(screen.getByRole('status').textContent).toBe('asking');
  await act(() => Promise.resolve(answers.Second?.({ name: 'failed', failure: 'network' })));
  expect(screen.getByRole('status').textContent).toBe('failed');
});
