import { expect, it } from 'vitest';
import { AutoSubmitGuard } from './code-entry';

const event = { preventDefault: () => undefined };
function sendingBy(...steps: ((code: AutoSubmitGuard, send: () => void) => void)[]): number {
  let sent = 0;
  const code = new AutoSubmitGuard();
  for (const step of steps) step(code, () => (sent += 1));
  return sent;
}

it('ignores one submission right after a successful one', () => {
  const press = (now: number) => (code: AutoSubmitGuard, send: () => void) => code.press(send, event, now);
  const itself = (code: AutoSubmitGuard, send: () => void) => code.complete(send);
  const answered = (code: AutoSubmitGuard) => code.answered(10_000);
  expect(sendingBy(itself, answered, press(10_900))).toBe(1);
  expect(sendingBy(itself, answered, press(10_900), press(10_950))).toBe(2);
  expect(sendingBy(itself, answered, press(11_100))).toBe(2);
  expect(sendingBy(press(0), answered, press(10_001))).toBe(2);
  // The form ignores clicks while the request is pending; the next click counts.
  expect(sendingBy(itself, press(9_999), answered, press(10_001))).toBe(3);
});
