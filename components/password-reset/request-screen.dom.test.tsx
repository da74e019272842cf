import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { renderAtOrigin } from '@/tests/support/render';
import { RequestScreen } from './request-screen';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ push: () => Promise.resolve(true) }) }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('emails how to sign in to an address that a password manager filled in without an event', async () => {
  const sent: string[] = [];
  vi.stubGlobal('fetch', (_path: string, { body }: { body: string }) => {
    sent.push(body);
    return Promise.resolve(Response.json({ resendAfter: 30 }));
  });
  renderAtOrigin(['password'], <RequestScreen />);
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Email' });
  // Without the focus, as on a phone: to leave it would be an event.
  field.blur();
  field.value = 'lena@campus.test';
  await userEvent.setup().click(screen.getByRole('button', { name: 'Email me how I sign in' }));
  await waitFor(() => expect(sent).toEqual([JSON.stringify({ email: 'lena@campus.test' })]));
});
