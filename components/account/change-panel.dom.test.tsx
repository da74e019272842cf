import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Notice } from '@/components/ui/notice';
import { renderWithTexts } from '@/tests/support/render';
import { ChangePanel } from './change-panel';

afterEach(cleanup);

it('says why a change failed next to its button, below what the change brings', () => {
  renderWithTexts(
    <ChangePanel
      stage="ask"
      text="Delete it?"
      facts={['It is gone.', 'You are signed out.']}
      failure={<Notice tone="error">Try again.</Notice>}
      onCancel={() => undefined}
    >
      <button type="button">Delete</button>
    </ChangePanel>,
  );
  const parts = [...screen.getByRole('group').children].map(({ textContent }) => textContent);
  expect(parts.slice(0, 4)).toEqual(['Delete it?', 'It is gone.You are signed out.', 'Try again.', 'Delete']);
});
