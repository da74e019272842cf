// Threats: unnoticed-sign-in
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiProblem } from '@/lib/shared/problem';
import security from '@/locales/en/security.json';
import { passwordAccount, renderAtOrigin } from '@/tests/support/render';
import { Attention } from './attention';

const replace = vi.fn(() => Promise.resolve(true));
vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ asPath: '/security', replace }) }));

const calls: { isOwn: boolean; answer: (response: Response) => void }[] = [];
beforeEach(() => {
  calls.length = 0;
  replace.mockClear();
  vi.stubGlobal(
    'fetch',
    (_path: string, { body }: { body: string }) =>
      new Promise((answer) => calls.push({ ...(JSON.parse(body) as { isOwn: boolean }), answer })),
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const settle = () => act(() => new Promise((done) => setTimeout(done, 20)));
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
/** Presses each button before the response to the previous button. */
async function pressAll(...names: string[]) {
  const signIn = { id: 'a', at: new Date().toISOString(), browser: 'Chrome', system: 'Android' };
  renderAtOrigin(
    ['password'],
    <Attention account={passwordAccount} deletion={null} signIns={[signIn]} secondFactor={null} />,
  );
  for (const name of names) await press(name);
}
const refuse = (call = 1) => {
  const problem = new ApiProblem('not-found');
  calls[call]?.answer(Response.json(problem, { status: problem.status }));
};

it('"It was me" is thanked', async () => {
  await pressAll(security.check.own);
  calls[0]?.answer(Response.json({}));
  await screen.findByText(security.check.thanks);
  expect(replace).toHaveBeenCalled();
});

it('"This wasn\'t me" replaces "It was me", whose answer is still on its way: that is not thanked', async () => {
  await pressAll(security.check.own, security.check.other);
  expect(calls.map(({ isOwn }) => isOwn)).toEqual([true, false]);
  calls[0]?.answer(Response.json({}));
  await settle();
  expect(screen.queryByText(security.check.thanks)).toBeNull();
  expect(replace).not.toHaveBeenCalled();
  // A refused answer is reported and can be pressed again.
  refuse();
  await screen.findByText(security.check.failed);
  await press(security.check.other);
  expect(calls).toHaveLength(3);
});

it('"This wasn\'t me" is not thanked either when the page is loaded again meanwhile', async () => {
  let load = (_isDone: boolean) => undefined as void;
  replace.mockReturnValueOnce(new Promise((done) => (load = done)));
  await pressAll(security.check.own);
  calls[0]?.answer(Response.json({}));
  await waitFor(() => expect(replace).toHaveBeenCalled());
  await press(security.check.other);
  load(true);
  await settle();
  expect(screen.queryByText(security.check.thanks)).toBeNull();
});

it('"It was me" cannot be pressed while "This wasn\'t me" is under way', async () => {
  await pressAll(security.check.other, security.check.own);
  expect(calls.map(({ isOwn }) => isOwn)).toEqual([false]);
});
