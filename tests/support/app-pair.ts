import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { createDatabase } from '../../scripts/lib/postgres.mjs';
import { startRedis } from '../../scripts/lib/services.mjs';
import { createAccountsClient } from './accounts-client';
import { openSession, post } from './client';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';
import { CLIENT, startProxy } from './proxy';

/**
 * Starts two processes of the built app behind one proxy. They share one Redis and, if PostgreSQL is installed, one
 * database. Accounts and mailbox belong to the shared stack.
 * @param variables more of them, for both
 */
export async function startAppPair(shared: Endpoints, variables: Record<string, string> = {}) {
  const [port = 0] = await freePorts(1);
  const dir = mkdtempSync(path.join(os.tmpdir(), 'pair-'));
  const start = () => startRedis({ port, dir });
  let redis = await start();
  const proxy = await startProxy();
  const env = {
    NEXT_PUBLIC_APP_ORIGIN: proxy.origin,
    TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 'a secret that both share').toString('base64'),
    SECOND_FACTOR_SECRET: Buffer.alloc(32, 'another that both share').toString('base64'),
    RECOVERY_CODE_COST: '4',
    ADMIN_TOKEN: 'an-admin-token-that-both-share',
    REDIS_URL: redis.url,
    ...(shared.databaseServer && { DATABASE_URL: await createDatabase(shared.databaseServer) }),
    TRUSTED_PROXY_HOPS: '1',
    ...variables,
  };
  const apps = await Promise.all([startOtherApp(shared, env), startOtherApp(shared, env)]);
  const [first, second] = apps.map(({ endpoints }) => endpoints.appOrigin) as [string, string];
  proxy.passTo(first, second);
  const endpoints = { ...shared, appOrigin: proxy.origin };

  let clients = 0;
  const pair = {
    endpoints,
    origin: proxy.origin,
    /** Addresses each process directly, without the proxy. */
    each: [first, second] as const,
    services: apps,
    accounts: createAccountsClient(endpoints),
    redis: {
      stop: () => redis.stop(),
      start: async () => {
        redis = await start();
      },
    },
    /** Returns headers for requests from a new client. */
    newClient: (): Record<string, string> => {
      clients += 1;
      return { origin: proxy.origin, [CLIENT]: `203.0.113.${String(clients)}` };
    },
    check: async (origin: string, cookie: string) =>
      (await post(`${origin}/api/check-auth-status`, { cookie, headers: { origin: proxy.origin } })).status,
    /** Creates a session through the proxy. @returns its cookie */
    signIn: async () =>
      openSession(proxy.origin, await pair.accounts.idToken(await pair.accounts.create()), pair.newClient()),
    stop: async () => {
      await Promise.all(apps.map((app) => app.stop()));
      await Promise.all([proxy.stop(), redis.stop()]);
    },
  };
  return pair;
}

export type AppPair = Awaited<ReturnType<typeof startAppPair>>;
