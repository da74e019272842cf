import { makeGate } from '../../scripts/lib/gate.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import { createAccountsClient } from './accounts-client';
import { openSession } from './client';
import { startLoopback } from './loopback';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';
import { productionLimits } from './time-limits';

const getPort = (address: string) => Number(new URL(address.includes('//') ? address : `http://${address}`).port);

/**
 * Starts an app with a controllable gate in front of each of its services. A second app keeps its sessions at another
 * deployment, which is the shared stack. The services belong to the shared stack.
 */
export async function startFaultyServices(shared: Endpoints) {
  const [redisPort = 0, ...ports] = await freePorts(8);
  const redis = hasRedis() ? await startRedis({ port: redisPort, dir: `.test-run/faults-${process.pid}` }) : null;
  const platform = await startLoopback(() => '{"courses":[]}');
  const errors = await startLoopback(() => '{}');
  // The middle of a response differs by service. For email, it is before the local mailbox has begun to read an email.
  const gate = (target: number, spare?: number) => makeGate({ port: ports.shift() ?? 0, target, spare });
  const gates = {
    provider: gate(getPort(shared.emulatorHost), 240),
    mail: gate(getPort(shared.smtpUrl), 50),
    config: gate(getPort(shared.appOrigin), 300),
    upstream: gate(getPort(shared.appOrigin), 300),
    redis: gate(redisPort, 10),
    errors: gate(getPort(errors.url)),
    platform: gate(getPort(platform.url), 60),
  };
  await Promise.all(Object.values(gates).map((each) => each.open()));

  const env = {
    ...productionLimits,
    FIREBASE_AUTH_EMULATOR_HOST: gates.provider.url,
    SMTP_URL: `smtp://${gates.mail.url}`,
    UPSTREAM_IDENTITY_URL: `http://${gates.config.url}`,
    ...(redis && { REDIS_URL: `redis://${gates.redis.url}` }),
    NEXT_PUBLIC_SENTRY_DSN: `http://key@${gates.errors.url}/42`,
    PLATFORM_API_URL: `http://${gates.platform.url}`,
  };
  const elsewhere = {
    ...productionLimits,
    SESSION_BACKEND: 'upstream',
    UPSTREAM_IDENTITY_URL: `http://${gates.upstream.url}`,
  };
  const [app, leaning] = await Promise.all([startOtherApp(shared, env), startOtherApp(shared, elsewhere)]);
  const accounts = createAccountsClient(shared);
  return {
    gates,
    hasRedis: redis !== null,
    accounts,
    shared,
    app: app.endpoints.appOrigin,
    adminToken: app.endpoints.adminToken,
    leaning: leaning.endpoints.appOrigin,
    /** Creates a session without any gate. @returns its cookie */
    session: async () =>
      openSession(shared.appOrigin, await accounts.idToken(await accounts.create()), { origin: shared.appOrigin }),
    stop: async () => {
      // Restore all services first, because the app must shut down by itself.
      await Promise.all(Object.values(gates).map((each) => each.setMode('healthy')));
      await Promise.all([app.stop(), leaning.stop()]);
      await Promise.all([...Object.values(gates).map((each) => each.close()), platform.stop(), errors.stop()]);
      await redis?.stop();
    },
  };
}

export type FaultyServices = Awaited<ReturnType<typeof startFaultyServices>>;
export type ServiceName = keyof FaultyServices['gates'];
