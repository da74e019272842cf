import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { ACCOUNT_ACTIONS, type SupportAccount } from '@/lib/shared/support/desk';
import { renderWithTexts } from '@/tests/support/render';
import { ACTION_TEXTS } from './action-texts';
import DeskScreen from './desk-screen';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const account: SupportAccount = {
  uid: 'uid-1',
  email: 'mia@campus.test',
  provedEmail: null,
  recoveryEmail: null,
  createdAt: '2026-11-01T09:00:00.000Z',
  lastSignInAt: null,
  state: [],
  actions: [...ACCOUNT_ACTIONS],
  signInMethods: [{ method: 'password', email: null }],
  passkeys: [],
  secondFactor: { since: null, apps: [], recoveryCodesLeft: 0 },
  sessions: [],
  events: [],
  emails: [],
};

type Call = { address: string; body: unknown };

/** Answers each call in its turn. */
function answerWith(...answers: [status: number, body: object][]): Call[] {
  const calls: Call[] = [];
  vi.stubGlobal('fetch', (address: string, init: RequestInit) => {
    calls.push({ address, body: typeof init.body === 'string' ? JSON.parse(init.body) : null });
    const [status, body] = answers[calls.length - 1] ?? [500, {}];
    return Promise.resolve(Response.json(body, { status }));
  });
  return calls;
}

async function lookUp() {
  renderWithTexts(<DeskScreen />);
  await userEvent.type(screen.getByLabelText('Your token'), ' token-of-ada ');
  await userEvent.type(screen.getByRole('textbox', { name: 'Email' }), 'mia@campus.test');
  await userEvent.type(screen.getByLabelText('Reason'), 'Ticket 4711');
  await userEvent.click(screen.getByRole('button', { name: 'Look up' }));
}

async function choose(action: keyof typeof ACTION_TEXTS) {
  const { label } = ACTION_TEXTS[action];
  const form = await screen.findByRole('form', { name: 'Act on mia@campus.test' });
  await userEvent.selectOptions(within(form).getByLabelText('Action'), label);
  await userEvent.click(within(form).getByRole('button', { name: label }));
}

it('names what is missing, and makes no call', async () => {
  const calls = answerWith();
  renderWithTexts(<DeskScreen />);
  await userEvent.click(screen.getByRole('button', { name: 'Look up' }));
  expect(await screen.findByText('Enter your token.')).toBeTruthy();
  expect(screen.getByText('Enter what to search for.')).toBeTruthy();
  expect(screen.getByText('Enter a reason of at least three characters.')).toBeTruthy();
  await userEvent.type(screen.getByRole('textbox', { name: 'Email' }), 'mia');
  await userEvent.type(screen.getByLabelText('Your token'), 'token-of-ada');
  await userEvent.type(screen.getByLabelText('Reason'), 'Ticket 4711');
  await userEvent.click(screen.getByRole('button', { name: 'Look up' }));
  expect(await screen.findByText('Check the spelling of this.')).toBeTruthy();
  expect(calls).toEqual([]);
});

it.each(ACCOUNT_ACTIONS)('%s is confirmed first if it changes the account', async (action) => {
  const calls = answerWith([200, { accounts: [account], emails: [] }], [503, {}]);
  await lookUp();
  await choose(action);
  if (ACTION_TEXTS[action].changes) {
    const question = await screen.findByRole('group', { name: `${ACTION_TEXTS[action].label}: mia@campus.test?` });
    expect(calls).toHaveLength(1);
    await userEvent.click(within(question).getByRole('button', { name: ACTION_TEXTS[action].label }));
  }
  expect(await screen.findByText('The server cannot answer now. Try again in a moment.')).toBeTruthy();
  expect(calls[1]).toEqual({
    address: '/api/admin/accounts/actions',
    body: { action, uid: 'uid-1', reason: 'Ticket 4711' },
  });
});

it('shows the account as it is after the action, or says that it does not', async () => {
  const disabled = { ...account, state: [{ rule: 'disabled-account', text: 'The account is disabled.' }] };
  const done = { action: 'send-reset', uid: 'uid-1', at: '2026-11-30T09:00:00.000Z' };
  answerWith(
    [200, { accounts: [account], emails: [] }],
    [200, done],
    [200, { accounts: [disabled], emails: [] }],
    [200, done],
    [429, {}],
  );
  await lookUp();
  await choose('send-reset');
  expect(await screen.findByText('The account is disabled.')).toBeTruthy();
  expect(document.activeElement?.textContent).toBe(ACTION_TEXTS['send-reset'].done);
  await choose('send-reset');
  expect(await screen.findByText(/from before/)).toBeTruthy();
});

it('offers only the actions that the token allows, and none without any', async () => {
  answerWith([
    200,
    {
      accounts: [
        { ...account, actions: ['sign-out'] },
        { ...account, uid: 'uid-2', actions: [] },
      ],
      emails: [],
    },
  ]);
  await lookUp();
  const form = await screen.findByRole('form', { name: 'Act on mia@campus.test' });
  expect(
    within(form)
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['Choose an action', ACTION_TEXTS['sign-out'].label]);
  expect(screen.getByText('Your token allows no action on this account.')).not.toBeNull();
});

it('keeps nothing when the browser shows the page again after Back', async () => {
  answerWith([200, { accounts: [account], emails: [] }]);
  await lookUp();
  await screen.findByRole('region', { name: 'mia@campus.test' });
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  await waitFor(() => expect(screen.queryByRole('region')).toBeNull());
  expect(screen.getByLabelText<HTMLInputElement>('Your token').value).toBe('');
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Email' }).value).toBe('');
});

it('shows the emails to an address without an account', async () => {
  const email = {
    messageId: 'm1',
    kind: 'registration',
    at: account.createdAt ?? '',
    result: 'refused',
    answer: '550 no',
  };
  answerWith([200, { accounts: [], emails: [email, { ...email, answer: '450 later' }] }]);
  await lookUp();
  await screen.findByRole('heading', { name: 'No account found' });
  expect(screen.getAllByText('registration: refused')).toHaveLength(2);
  expect(screen.getByText('450 later')).toBeTruthy();
});

it('says that several accounts of a support code have nothing else in common', async () => {
  answerWith([200, { accounts: [account, { ...account, uid: 'uid-2', email: 'leo@campus.test' }], emails: [] }]);
  renderWithTexts(<DeskScreen />);
  await userEvent.type(screen.getByLabelText('Your token'), 'token-of-ada');
  await userEvent.selectOptions(screen.getByLabelText('Search by'), 'Support code');
  await userEvent.type(screen.getByRole('textbox', { name: 'Support code' }), '8C1D-4E5F');
  await userEvent.type(screen.getByLabelText('Reason'), 'Ticket 4711');
  await userEvent.click(screen.getByRole('button', { name: 'Look up' }));
  const heading = await screen.findByRole('heading', { level: 2 });
  expect(heading.textContent).toBe('2 accounts found, the first one that sent it at the top');
  expect(screen.getByText(/Before you act, ask for the email/)).toBeTruthy();
});
