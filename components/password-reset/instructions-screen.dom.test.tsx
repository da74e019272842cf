import { cleanup, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { takeReturnByLink } from '@/lib/browser/auth/link-return';
import { renderAtOrigin } from '@/tests/support/render';
import { InstructionsScreen } from './instructions-screen';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ push: () => Promise.resolve(true) }) }));
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  localStorage.clear();
});

it('the link of its email returns to the page that this tab was to return to', async () => {
  sessionStorage.setItem('return-to', 'security');
  const email = 'mia@campus.test';
  renderAtOrigin(['password'], <InstructionsScreen pending={{ flow: 'one', email, resendAfter: 30, worksFor: 900 }} />);
  await waitFor(() => expect(localStorage.getItem('return-by-link')).not.toBeNull());
  // The tab of the link.
  sessionStorage.clear();
  takeReturnByLink(email);
  expect(sessionStorage.getItem('return-to')).toBe('security');
});
