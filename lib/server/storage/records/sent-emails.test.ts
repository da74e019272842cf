// Threats: requested-emails-read
import { expect, it } from 'vitest';
import { cleanAnswer } from './sent-emails';

it.each([
  ['250 2.0.0 Ok: queued as 4FgQ2z1', '250 2.0.0 Ok: queued as 4FgQ2z1'],
  ['550 5.1.1 <mia@campus.example>: Recipient address rejected', '550 5.1.1 <[address]>: Recipient address rejected'],
  ['550 no such user mia+a@campus.example\r\n550 bye', '550 no such user [address] 550 bye'],
  ['550 blocked, see https://list.example/?ip=192.0.2.7', '550 blocked, see [link]'],
  ['554 client 192.0.2.7 and 2001:db8::1:7 blocked', '554 client [network address] and [network address] blocked'],
  ['\u0007 and \u202e', 'and'],
])('an answer is stored without addresses: %j', (answer, stored) => {
  expect(cleanAnswer(answer)).toBe(stored);
});

it('an answer is stored up to a length', () => {
  expect(cleanAnswer('x'.repeat(10_000))).toHaveLength(200);
});
