import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { signWebhook } from './webhooks';

const event = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: new Date(1_614_265_330_000), body: '{"test": 2432232314}' };

// cspell:ignore ILPZ
// The example is from the reference libraries of Standard Webhooks.
it('signs as the specification has it', () => {
  expect(signWebhook(event, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('signs with every secret while one is replaced', () => {
  const secrets = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`);
  const signatures = signWebhook(event, secrets)['webhook-signature'].split(' ');
  expect(signatures).toEqual(
    [1, 2].map((byte) => {
      const hmac = createHmac('sha256', Buffer.alloc(32, byte));
      return `v1,${hmac.update(`${event.id}.1614265330.${event.body}`).digest('base64')}`;
    }),
  );
});
