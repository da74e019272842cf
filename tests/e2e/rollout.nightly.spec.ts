// Threats: deployment-interruption, split-state
import { expect, test } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { NEW_PASSWORD } from '../support/account-journeys';
import { createAccountsClient } from '../support/accounts-client';
import { CookieJar } from '../support/client';
import { codeIn, mailsBesidesAlerts } from '../support/mail';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';

const shared = JSON.parse(process.env.E2E_ENDPOINTS ?? '{}') as Endpoints;
test.describe.configure({ timeout: 300_000 });

for (const signal of ['SIGTERM', 'SIGHUP'] as const)
  test(`on ${signal} a process is not ready first, accepts connections for SHUTDOWN_DELAY, and then ends`, async () => {
    const { endpoints, ...service } = await startOtherApp(shared, { SHUTDOWN_DELAY: '60', LOG_LEVEL: 'info' });
    const getStatus = async (path: string) => (await fetch(`${endpoints.appOrigin}/api/health/${path}`)).status;
    expect(await getStatus('ready')).toBe(200);
    process.kill(service.pid, signal);
    await expect.poll(() => getStatus('ready')).toBe(503);
    expect(await getStatus('live')).toBe(200);
    expect((await fetch(`${endpoints.appOrigin}/sign-in`)).status).toBe(200);
    // A second signal ends the delay.
    process.kill(service.pid, signal);
    expect(await service.exited).toBe(0);
    const log = readFileSync(service.logFile, 'utf8');
    const messages = [...log.matchAll(/"msg":"([^"]+)"/g)].map(([, message]) => message);
    expect(messages).toEqual(
      expect.arrayContaining(['started', 'shutting down: not ready', 'draining: no new connections', 'stopped']),
    );
  });

test('a code of one process works on another while the encryption secret is replaced', async () => {
  const [old, next] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
  const [before, after] = await Promise.all(
    [`${old},${next}`, `${next},${old}`].map((secrets) =>
      startOtherApp(shared, { TOKEN_ENCRYPTION_SECRET: secrets, NEXT_PUBLIC_APP_ORIGIN: shared.appOrigin }),
    ),
  );
  for (const [issuing, redeeming] of [
    [before, after],
    [after, before],
  ]) {
    const { email } = await createAccountsClient(shared).create();
    const [from = '', to = ''] = [issuing?.endpoints.appOrigin, redeeming?.endpoints.appOrigin];
    const jar = new CookieJar({ origin: shared.appOrigin });
    expect((await jar.post(`${from}/api/password-reset`, { email })).status).toBe(200);
    const [mail] = await mailsBesidesAlerts(shared, email);
    const body = { code: codeIn(mail ?? { text: '' }), password: NEW_PASSWORD };
    expect((await jar.post(`${to}/api/password-reset/confirm`, body)).status).toBe(200);
  }
  await Promise.all([before?.stop(), after?.stop()]);
});
