import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { renderWithTexts } from '@/tests/support/render';
import { CodeProof } from './factor-steps';

afterEach(cleanup);

it.each([
  ['Authentication code', '123456', /Wait until your app shows the next one/],
  ['Recovery code', 'A1B2'.repeat(4), /^This recovery code was already used\. Enter another one\./],
])('%s: says what to do after one that was used', async (name, code, text) => {
  const failure = { factor: 'code-used', retryAfter: null, triesLeft: null } as const;
  renderWithTexts(<CodeProof busy={false} onProof={() => Promise.resolve(failure)} />);
  const user = userEvent.setup();
  if (name === 'Recovery code') await user.click(screen.getByRole('button', { name: 'Use a recovery code instead' }));
  await user.type(screen.getByLabelText(name), `${code}{Enter}`);
  expect(await screen.findByText(text)).toBeTruthy();
});
