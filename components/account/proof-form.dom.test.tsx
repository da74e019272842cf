import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { WRONG_PASSWORD, type AccountProof, type ProofFailure } from '@/lib/browser/account/account-methods';
import { passwordAccount, renderAtOrigin } from '@/tests/support/render';
import { ProofPanel } from './proof-form';
import type { ChangeHook } from './use-change';

const { network } = vi.hoisted(() => {
  const network = { isAsked: false, answer: () => {}, answered: Promise.resolve() };
  network.answered = new Promise((answer) => (network.answer = answer));
  return { network };
});
// A slow network.
vi.mock(import('./factor-steps'), async (original) => {
  network.isAsked = true;
  await network.answered;
  return original();
});
vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ replace: () => Promise.resolve(true) }) }));
afterEach(cleanup);

const account = {
  ...passwordAccount,
  methods: [...passwordAccount.methods, { id: 'google.com', email: null, usable: true }],
  hasSecondFactor: true,
};

type Prove = (proof: AccountProof) => Promise<ProofFailure | null>;

const getHook = (prove: Prove, more: { isBusy?: boolean; failure?: ProofFailure } = {}): ChangeHook => ({
  phase: { name: 'proving', change: 'anything', ...more },
  press: () => undefined,
  prove: (_, proof) => prove(proof),
  cancel: () => undefined,
});

const renderPanel = (prove: Prove) =>
  renderAtOrigin(['password'], <ProofPanel account={account} hook={getHook(prove)} text="Confirm it's you." />);

it('loads what asks for the code beforehand, and keeps the focus in the panel until it is there', async () => {
  const prove = vi.fn(() => Promise.resolve('code-required' as const));
  renderPanel(prove);
  await waitFor(() => expect(network.isAsked).toBe(true));
  await userEvent.type(screen.getByLabelText('Current password'), 'correct-horse-7{Enter}');
  await waitFor(() => expect(prove).toHaveBeenCalledTimes(1));
  await waitFor(() => expect(screen.queryByLabelText('Current password')).toBeNull());
  expect(document.activeElement).toBe(screen.getByRole('group'));
  await act(() => Promise.resolve(network.answer()));
  const code = await screen.findByLabelText('Authentication code');
  await waitFor(() => expect(document.activeElement).toBe(code));
});

it('says nothing more of a wrong password while another way is taken', async () => {
  function Change() {
    const [isBusy, setIsBusy] = useState(false);
    const prove = ({ by }: AccountProof): Promise<ProofFailure> => {
      if (by === 'password') return Promise.resolve(WRONG_PASSWORD);
      setIsBusy(true);
      return new Promise(() => undefined);
    };
    return <ProofPanel account={account} hook={getHook(prove, { isBusy })} text="Confirm." />;
  }
  renderAtOrigin(['password'], <Change />);
  await userEvent.type(screen.getByLabelText('Current password'), 'correct-horse-7{Enter}');
  const refusal = await screen.findByText(/^Your current password is incorrect/);
  await userEvent.click(screen.getByRole('button', { name: 'Confirm with Google' }));
  await waitFor(() => expect(refusal.isConnected).toBe(false));
});

it('tells password managers of which account the password is', () => {
  renderPanel(() => Promise.resolve(null));
  const { form } = screen.getByLabelText<HTMLInputElement>('Current password');
  const [username, password] = form?.querySelectorAll('input') ?? [];
  expect([username?.autocomplete, username?.value]).toEqual(['username', account.email]);
  expect(password?.autocomplete).toBe('current-password');
});

it('names a limit of codes until it ends, and no passkey of an account that has none', async () => {
  const failure = { factor: 'too-many-requests', retryAfter: 1, triesLeft: null } as const;
  renderAtOrigin(
    ['password'],
    <ProofPanel account={account} hook={getHook(() => Promise.resolve(failure), { failure })} text="Confirm." />,
  );
  const notice = screen.getByRole('alert');
  expect(notice.textContent).toMatch(/^Too many incorrect codes/);
  expect(notice.textContent).not.toMatch(/passkey/);
  await screen.findByText(/^You can try again/);
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});
