import { act, render } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { ApiResult } from './api-client';
import { useCall } from './use-call';

const OK: ApiResult<string> = { ok: true, status: 200, data: 'kept' };
const FAILED: ApiResult<string> = { ok: false, code: 'network', status: 0, retryAfter: null, triesLeft: null };

function open(call: () => Promise<ApiResult<string>>, onDone?: (data: string) => Promise<void>) {
  let latest: ReturnType<typeof useCall> | undefined;
  const Button = () => {
    latest = useCall(call, onDone);
    return null;
  };
  render(<Button />);
  return {
    get: () => [latest?.phase, latest?.failure?.code ?? null],
    press: () => act(() => Promise.resolve(latest?.act())),
  };
}

const comeBack = () =>
  act(() => {
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  });

it('fails with the code, and can be repeated', async () => {
  const results = [FAILED, OK];
  const { get, press } = open(() => Promise.resolve(results.shift() ?? FAILED));
  expect(get()).toEqual(['idle', null]);
  await press();
  expect(get()).toEqual(['failed', 'network']);
  await press();
  expect(get()).toEqual(['done', null]);
});

it('is busy until what follows the call is over', async () => {
  let finish = () => undefined as void;
  const seen: string[] = [];
  const { get, press } = open(
    () => Promise.resolve(OK),
    (data) => {
      seen.push(data);
      return new Promise<void>((resolve) => (finish = resolve));
    },
  );
  await press();
  expect([get(), seen]).toEqual([['busy', null], ['kept']]);
  await act(() => Promise.resolve(finish()));
  expect(get()).toEqual(['done', null]);
});

it('is neither busy for good nor undone in a page that comes back from the cache of the browser, nor failed', async () => {
  const waiting = open(() => new Promise(() => undefined));
  await waiting.press();
  comeBack();
  expect(waiting.get()).toEqual(['idle', null]);
  // The reason of the failure stays, because an expired link does not work again.
  const failed = open(() => Promise.resolve(FAILED));
  await failed.press();
  comeBack();
  expect(failed.get()).toEqual(['idle', 'network']);
  const done = open(() => Promise.resolve(OK));
  await done.press();
  comeBack();
  expect(done.get()).toEqual(['done', null]);
});

it('does not fail by a call from before Back while it is made again', async () => {
  const answers: ((result: ApiResult<string>) => void)[] = [];
  const { get, press } = open(() => new Promise((resolve) => answers.push(resolve)));
  await press();
  comeBack();
  await press();
  await act(() => Promise.resolve(answers[0]?.(FAILED)));
  expect(get()).toEqual(['busy', null]);
  await act(() => Promise.resolve(answers[1]?.(OK)));
  expect(get()).toEqual(['done', null]);
});
