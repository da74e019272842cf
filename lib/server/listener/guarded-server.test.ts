import { expect, test } from 'vitest';
import { getServerSettings } from '../config/env';
import { GuardedServer } from './guarded-server';

const create = (variables: Record<string, string> = {}) =>
  new GuardedServer(() => undefined, getServerSettings(variables));

test('production bounds: 15 s for headers, 30 s for a request, 60 s for a client that does not read', () => {
  const { headersTimeout, requestTimeout, timeout } = create();
  expect({ headersTimeout, requestTimeout, timeout }).toEqual({ headersTimeout: 15_000, requestTimeout: 30_000, timeout: 60_000 }); // prettier-ignore
});

test('an invalid setting leaves the default: the start hook reports it and stops the process', () => {
  expect(create({ REQUEST_TIMEOUT: '0', TRUSTED_PROXY_HOPS: 'x' }).requestTimeout).toBe(30_000);
  expect(create({ REQUEST_TIMEOUT: '7' })).toMatchObject({ headersTimeout: 7000, requestTimeout: 7000 });
});

test('an upgrade listener that is added before it listens is removed', async () => {
  const server = create();
  server.on('upgrade', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  expect(server.listeners('upgrade')).toHaveLength(1);
  await new Promise((resolve) => server.close(resolve));
});
