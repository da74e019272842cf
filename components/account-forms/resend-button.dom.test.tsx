import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import type { ComponentProps } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CallFailure } from '@/lib/browser/account/api';
import { renderWithTexts } from '@/tests/support/render';
import { useCodeForm } from './code-entry';
import { ResendButton } from './resend-button';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('can be pressed again and again, each time after the wait that the server names, which may be the same', async () => {
  const onResend = vi.fn<ComponentProps<typeof ResendButton>['onResend']>();
  onResend.mockResolvedValue({ ok: true, status: 200, data: { resendAfter: 30 } });
  renderWithTexts(<ResendButton wait={30} onResend={onResend} />);
  const button = screen.getByRole('button');
  const region = screen.getAllByRole('status')[0];
  expect(region?.textContent).toBe('');
  for (const sent of [1, 2, 3]) {
    await act(() => vi.advanceTimersByTimeAsync(29_000));
    expect(button.getAttribute('aria-disabled')).toBe('true');
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    expect(button.getAttribute('aria-disabled')).toBeNull();
    await act(async () => {
      button.click();
      await Promise.resolve();
    });
    expect(onResend).toHaveBeenCalledTimes(sent);
    // A region that already existed announces it.
    expect(region?.textContent).toMatch(/sent/);
  }
});

it.each(['code-missing', 'code-expired'] as const)(
  'loads the page again after %s: no other code can be sent',
  async (code) => {
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
    const failure = { ok: false, code, status: 410, retryAfter: null, triesLeft: null } as const;
    renderWithTexts(<ResendButton wait={0} onResend={() => Promise.resolve(failure)} />);
    await act(() => vi.advanceTimersByTimeAsync(250));
    await act(async () => {
      screen.getByRole('button').click();
      await Promise.resolve();
    });
    expect(reload).toHaveBeenCalledTimes(1);
    expect(screen.queryByRole('alert')).toBeNull();
  },
);

it('shows no failure in a page that comes back from the cache of the browser', async () => {
  const failure = { ok: false, code: 'network', status: 0, retryAfter: null, triesLeft: null } as const;
  renderWithTexts(<ResendButton wait={0} onResend={() => Promise.resolve(failure)} />);
  await act(() => vi.advanceTimersByTimeAsync(250));
  await act(async () => {
    screen.getByRole('button').click();
    await Promise.resolve();
  });
  expect(screen.getByRole('alert')).toBeTruthy();
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
  expect(screen.queryByRole('alert')).toBeNull();
});

it('shows no failure of a call from before Back', async () => {
  let fail: (failure: CallFailure) => void = () => undefined;
  renderWithTexts(<ResendButton wait={0} onResend={() => new Promise((resolve) => (fail = resolve))} />);
  await act(() => vi.advanceTimersByTimeAsync(250));
  act(() => screen.getByRole('button').click());
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
  await act(() => Promise.resolve(fail({ ok: false, code: 'network', status: 0, retryAfter: null, triesLeft: null })));
  expect(screen.queryByRole('alert')).toBeNull();
});

it('says nothing more of the code that was sent once one is submitted', async () => {
  const sent = { ok: true, status: 200, data: { resendAfter: 30 } } as const;
  function Screen() {
    const { onSubmit } = useCodeForm({
      schema: { resolver: (values) => Promise.resolve({ values, errors: {} }) },
      defaults: { code: '' },
      submit: () => Promise.resolve('code-locked'),
    });
    return (
      <form aria-label="Code" onSubmit={onSubmit}>
        <ResendButton wait={0} onResend={() => Promise.resolve(sent)} />
      </form>
    );
  }
  renderWithTexts(<Screen />);
  await act(() => vi.advanceTimersByTimeAsync(250));
  await act(async () => {
    screen.getByRole('button').click();
    await Promise.resolve();
  });
  const [region] = screen.getAllByRole('status');
  expect(region?.textContent).toMatch(/sent/);
  fireEvent.submit(screen.getByRole('form'));
  await act(() => vi.advanceTimersByTimeAsync(250));
  expect(region?.textContent).toBe('');
});
