import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { renderAtOrigin } from '@/tests/support/render';
import EmbeddedNotice from './embedded-notice';

afterEach(() => {
  cleanup();
  carriedEmail.forget();
});

it('takes the address that was typed along to the page that emails a link', () => {
  renderAtOrigin(
    ['google.com'],
    <>
      <input name="email" defaultValue="mia@campus.test" />
      <EmbeddedNotice />
    </>,
  );
  const link = screen.getByRole('link');
  // The page stays.
  link.addEventListener('click', (event) => event.preventDefault());
  fireEvent.click(link);
  expect(carriedEmail.get()).toBe('mia@campus.test');
});
