// Threats: dependency-failure, uncaught-error
import { expect, test as base } from '@playwright/test';
import { CASES, type FaultCase } from '../support/fault-cases';
import { startFaultyServices, type FaultyServices, type ServiceName } from '../support/faulty-services';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

/** Tests every service behind the app in every fault mode, one at a time and without a browser. */
const test = base.extend<object, { services: FaultyServices }>({
  services: [
    async ({}, use) => {
      const services = await startFaultyServices(JSON.parse(process.env.E2E_ENDPOINTS ?? '{}') as Endpoints);
      await use(services);
      await services.stop();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
});
test.describe.configure({ mode: 'serial' });

const SPEAKS_HTTP: ServiceName[] = ['provider', 'config', 'upstream', 'errors', 'platform'];

for (const fault of ['refused', 'slow', 'garbage', 'nonsense', 'cut'] as const)
  for (const [name, { during, after }] of Object.entries(CASES) as [ServiceName, FaultCase][])
    if (fault !== 'nonsense' || SPEAKS_HTTP.includes(name))
      test(`${name}: ${fault}`, async ({ services }) => {
        test.skip(name === 'redis' && !services.hasRedis, 'There is no redis-server on the PATH.');
        const gate = services.gates[name];
        await gate.setMode(fault);
        try {
          await during(services);
        } finally {
          await gate.setMode('healthy');
        }
        await after(services);
      });

test('no fault causes a 500 or an error report of the app', async ({ services: { app, adminToken } }) => {
  const answer = await fetch(`${app}/api/metrics`, { headers: { authorization: `Bearer ${adminToken}` } });
  const text = await answer.text();
  expect(text).toContain('result="provider-unavailable"');
  expect(text).not.toMatch(/internal-error"\} [1-9]/);
  // A rewritten request is counted under its actual route.
  expect(text).toContain('route="/api/monitoring"');
  expect(text).toContain('page_data_duration_seconds_count{page="/sign-in"}');
});
