// Threats: host-poisoning
import { expect, it } from 'vitest';
import { getEmailContext } from '@/lib/server/notifications/email';

const own = { origin: 'http://localhost:3000', brandName: 'Campus', support: 'support@campus.test' };

it.each([
  'localhost.evil.test',
  'evil.test',
  'evil.test:3000',
  'localhost:3000@evil.test',
  '',
  'localhost:3000\\.evil.test',
])('never links to a host that the visitor made up: "%s"', async (host) => {
  expect(await getEmailContext({ headers: { host } })).toMatchObject(own);
});

it('uses the brand of the requesting page', async () => {
  const setting = await getEmailContext({ headers: { host: 'acme.localhost:3000' } });
  expect(setting.origin).toBe('http://acme.localhost:3000');
  expect(setting.brandName).toBe('Acme Academy');
});
