import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { renderAtOrigin } from '@/tests/support/render';
import EmbeddedNotice from './embedded-notice';

afterEach(() => {
  cleanup();
  carriedEmail.forget();
  vi.unstubAllGlobals();
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

it('says what the address is for where it cannot be copied', async () => {
  vi.stubGlobal('navigator', { userAgent: 'an app' });
  renderAtOrigin(['google.com'], <EmbeddedNotice />);
  fireEvent.click(screen.getByRole('button', { name: 'Copy the link to this page' }));
  const text = await screen.findByText(/^We couldn't copy this\. Select the text/);
  expect(text.nextSibling?.textContent).toMatch(/\/sign-in\?redirect_uri=/);
});
