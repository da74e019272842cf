import { act, cleanup, render, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startAutofill } from '@/lib/browser/passkeys/autofill';
import type { Assertion } from '@/lib/browser/passkeys/sign-in-api';
import { usePasskeySignIn } from './passkey-sign-in';

vi.mock('@/lib/browser/config/context', () => ({ usePublicEnv: () => ({ passkeys: true }) }));
vi.mock('@/lib/browser/passkeys/autofill', () => ({ startAutofill: vi.fn(() => () => undefined) }));
vi.mock('@/lib/browser/passkeys/sign-in', () => ({ finishPasskeySignIn: () => Promise.resolve(null) }));

beforeEach(() => {
  vi.stubGlobal('PublicKeyCredential', {});
  vi.stubGlobal('requestIdleCallback', (work: () => void) => setTimeout(work));
});
afterEach(() => {
  cleanup();
  vi.clearAllMocks();
});

function Screen({ isEnabled }: { isEnabled: boolean }) {
  return <output>{usePasskeySignIn(isEnabled)?.phase.name}</output>;
}
const restore = () => act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
const settle = () => act(() => new Promise((done) => setTimeout(done, 20)));

it('offers passkeys in the autofill again after Back from the page that a passkey led to', async () => {
  render(<Screen isEnabled />);
  await waitFor(() => expect(startAutofill).toHaveBeenCalledTimes(1));
  const [[onAssertion] = []] = vi.mocked(startAutofill).mock.calls;
  act(() => onAssertion?.({} as Assertion));
  // The sign-in is loaded, and leads away.
  await settle();
  restore();
  await waitFor(() => expect(startAutofill).toHaveBeenCalledTimes(2));
  expect(document.querySelector('output')?.textContent).toBe('idle');
});

it('offers none after Back either where passkeys are not offered', async () => {
  render(<Screen isEnabled={false} />);
  restore();
  await settle();
  expect(startAutofill).not.toHaveBeenCalled();
});
