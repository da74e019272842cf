import { act, cleanup, render, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startAutofill } from '@/lib/browser/passkeys/autofill';
import type { RequestOptions } from '@/lib/browser/passkeys/sign-in-api';
import { usePasskeySignIn } from './passkey-sign-in';

vi.mock('@/lib/browser/config/context', () => ({ usePublicEnv: () => ({ passkeys: true }) }));
vi.mock('@/lib/browser/passkeys/autofill', () => ({ startAutofill: vi.fn(() => () => undefined) }));
const dialogs: ((failure: 'network') => void)[] = [];
vi.mock('@/lib/browser/passkeys/sign-in', () => ({
  signInByAutofill: () => Promise.resolve(null),
  signInWithPasskey: () => new Promise((resolve) => dialogs.push(resolve)),
}));

beforeEach(() => {
  dialogs.length = 0;
  vi.stubGlobal('PublicKeyCredential', {});
  vi.stubGlobal('requestIdleCallback', (work: () => void) => setTimeout(work));
});
afterEach(() => {
  cleanup();
  vi.clearAllMocks();
});

function Screen({ isEnabled }: { isEnabled: boolean }) {
  const signIn = usePasskeySignIn(isEnabled);
  return (
    <>
      <output>{signIn?.phase.name}</output>
      <button type="button" onClick={() => signIn?.press('here')} />
    </>
  );
}
const restore = () => act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
const settle = () => act(() => new Promise((done) => setTimeout(done, 20)));

it('offers passkeys in the autofill again after Back from the page that a passkey led to', async () => {
  render(<Screen isEnabled />);
  await waitFor(() => expect(startAutofill).toHaveBeenCalledTimes(1));
  const [[onChosen] = []] = vi.mocked(startAutofill).mock.calls;
  act(() => onChosen?.({} as RequestOptions, {} as Credential));
  // The sign-in is loaded, and the page is being left.
  await settle();
  restore();
  await waitFor(() => expect(startAutofill).toHaveBeenCalledTimes(2));
  expect(document.querySelector('output')?.textContent).toBe('idle');
});

it('neither shows nor counts the end of a sign-in from before Back: the autofill would cancel the dialog of the next one', async () => {
  const press = () => act(() => document.querySelector('button')?.click());
  render(<Screen isEnabled />);
  await waitFor(() => expect(startAutofill).toHaveBeenCalledTimes(1));
  press();
  await waitFor(() => expect(dialogs).toHaveLength(1));
  restore();
  await waitFor(() => expect(startAutofill).toHaveBeenCalledTimes(2));
  press();
  await waitFor(() => expect(dialogs).toHaveLength(2));
  dialogs[0]?.('network');
  await settle();
  expect(document.querySelector('output')?.textContent).toBe('working');
  expect(startAutofill).toHaveBeenCalledTimes(2);
  dialogs[1]?.('network');
  await waitFor(() => expect(startAutofill).toHaveBeenCalledTimes(3));
  expect(document.querySelector('output')?.textContent).toBe('failed');
});

it('offers none after Back either where passkeys are not offered', async () => {
  render(<Screen isEnabled={false} />);
  restore();
  await settle();
  expect(startAutofill).not.toHaveBeenCalled();
});
