// Threats: planted-passkey
import { expect, test } from 'vitest';
import { passkeyPaths } from '@/lib/shared/security-paths';
import { post } from '../support/client';
import { servedRoutes } from '../support/served-routes';

process.env.PASSKEY_RP_ID = 'off';

const app = servedRoutes();

test.each(Object.values(passkeyPaths))('where passkeys are off, %s is not found', async (path) => {
  const id = '6a3f0a52-53a9-4f0e-9f5d-0a9b8f3b7c11';
  const response = {
    id: 'AAAA',
    rawId: 'AAAA',
    type: 'public-key',
    response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA', attestationObject: 'AAAA' },
  };
  const body = { source: 'settings', challenge: 'x', id, name: 'x', response };
  const hasBody = !path.endsWith('-options') || path === passkeyPaths.creationOptions;
  const answer = await post(`${app.origin}${path}`, hasBody ? { body } : {});
  expect([answer.status, answer.body?.code]).toEqual([404, 'not-found']);
});

test('a registration without a password is not found, either', async () => {
  const body = { name: 'Mia Test', email: 'mia@campus.test', passkey: true };
  const answer = await post(`${app.origin}/api/registration`, { body });
  expect([answer.status, answer.body?.code]).toEqual([404, 'not-found']);
});

test.each(['http://localhost:3001', 'https://evil.test', null])('a page of %s begins nothing', async (origin) => {
  const answer = await post(`${app.origin}/api/passkeys/sign-in-options`, { headers: { origin } });
  expect([answer.status, answer.body?.code]).toEqual([403, 'foreign-origin']);
});
