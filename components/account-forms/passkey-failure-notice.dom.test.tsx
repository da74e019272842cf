import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { renderWithTexts } from '@/tests/support/render';
import { PasskeyFailureNotice } from './passkey-failure-notice';

afterEach(cleanup);

it.each(['cancelled', 'none-here', 'network'] as const)('%s: announces at once what it says', (failure) => {
  renderWithTexts(<PasskeyFailureNotice failure={failure} />);
  // The text is inserted together with the region, and some screen readers do not read a status that is inserted with
  // its text.
  expect(screen.getByRole('alert').textContent).not.toBe('');
  expect(screen.queryByRole('status')).toBeNull();
});
