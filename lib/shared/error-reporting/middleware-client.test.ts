import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { startErrorService } from '@/tests/support/error-service';
import { reportError } from './report';
import { startSentry } from '@/sentry.edge.config';

// Uses the library's build for the middleware's runtime, which Node does not choose.
vi.mock(
  '@sentry/nextjs',
  () => createRequire(import.meta.url)(path.resolve('node_modules/@sentry/nextjs/build/cjs/edge/index.js')) as object,
);

it('errors of the middleware are redacted before they are sent', async () => {
  const service = await startErrorService();
  // The library wraps `fetch`. Without a stub, it would be wrapped for all later files of this process.
  vi.stubGlobal('fetch', fetch);
  startSentry({ NEXT_PUBLIC_SENTRY_DSN: service.dsn, NEXT_PUBLIC_SENTRY_ENVIRONMENT: 'staging' });
  reportError(new Error('no page for /actions?oobCode=SeCrEt1'), { address: '/x?token=SeCrEt2' });
  await vi.waitUntil(() => service.errors.length > 0, { timeout: 60_000 });
  expect(service.errors[0]).toMatchObject({
    environment: 'staging',
    exception: { values: [{ value: 'no page for /actions?oobCode=[redacted]' }] },
    extra: { address: '/x?token=[redacted]' },
  });
  expect(service.arrived.join('\n')).not.toContain('SeCrEt');
  await service.stop();
});
