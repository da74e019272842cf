import { expect, it } from 'vitest';
import { SelfSending } from './self-sending';

const event = { preventDefault: () => undefined };
function sendingBy(...steps: ((code: SelfSending, send: () => void) => void)[]): number {
  let sent = 0;
  const code = new SelfSending();
  for (const step of steps) step(code, () => (sent += 1));
  return sent;
}

it('takes a press right after the answer as the same one, once', () => {
  const press = (now: number) => (code: SelfSending, send: () => void) => code.press(send, event, now);
  const itself = (code: SelfSending, send: () => void) => code.complete(send);
  const answered = (code: SelfSending) => code.answered(10_000);
  expect(sendingBy(itself, answered, press(10_900))).toBe(1);
  expect(sendingBy(itself, answered, press(10_900), press(10_950))).toBe(2);
  expect(sendingBy(itself, answered, press(11_100))).toBe(2);
  expect(sendingBy(press(0), answered, press(10_001))).toBe(2);
  // While the call is under way the form takes no press; the next one counts.
  expect(sendingBy(itself, press(9_999), answered, press(10_001))).toBe(3);
});
