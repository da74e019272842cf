import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { env } from '@/lib/server/runtime/config/env';
import { START_TIMEOUT_MS, getRecords } from '@/lib/server/storage/records';
import type { Tx } from '@/lib/server/storage/records/engines';
import { jobs } from '@/lib/server/storage/records/schema';
import { exportEvents } from '@/lib/server/storage/records/events';
import { listSessions, type ListedSession } from '@/lib/server/storage/records/sessions';
import { CookieJar } from './client';
import { serveRoutes, type RunningRoutes } from './routes';
import type { TestUser } from './accounts-client';
import { createTestUser, fetchIdToken } from './test-users';
import { setProductionLimits } from './time-limits';

export const SESSION = '_secure-user-session';
const AGENTS = {
  laptop: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  phone: 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
};

/** Locks sessions in the database, so that queries about them wait. @returns a function that releases them */
export async function lockSessions(): Promise<() => void> {
  const records = await getRecords();
  let release = () => {};
  const restoreLimits = setProductionLimits();
  const held = new Promise<void>((resolve) => (release = resolve));
  await new Promise<void>((resolve, reject) => {
    const lock = async (tx: Tx) => {
      await tx.execute(sql`lock table sessions in access exclusive mode`);
      resolve();
      await held;
    };
    records.transact(lock).catch(reject);
  });
  return () => {
    release();
    restoreLimits();
  };
}

/** Serves the API with a new user for each test, and with browsers. */
export function serveSessions() {
  let app: RunningRoutes;
  let user: TestUser;
  const registered = new Set<string>();
  beforeAll(async () => {
    // Opens the database as at a process start. No request must wait for it, and a busy machine takes its time.
    await getRecords(START_TIMEOUT_MS);
    app = await serveRoutes();
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    user = await createTestUser();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const newBrowser = (agent: keyof typeof AGENTS = 'laptop') =>
    new CookieJar({
      origin: env().NEXT_PUBLIC_APP_ORIGIN,
      'user-agent': AGENTS[agent],
      'sec-fetch-site': 'same-origin',
    });
  const call = (browser: CookieJar, path: string, body?: object) => browser.post(`${app.origin}/api/${path}`, body);
  const open = (browser: CookieJar, token: string) => call(browser, 'create-user-session', { token });
  /** Signs in. In a test's first browser, this completes the account's registration, so the owner is not notified. */
  const signIn = async (browser: CookieJar) => {
    const isFirst = !registered.has(user.uid);
    registered.add(user.uid);
    const answer = await open(browser, await fetchIdToken(user));
    expect(answer.status).toBe(200);
    if (isFirst) await (await getRecords()).transact((tx) => tx.delete(jobs).where(eq(jobs.uid, user.uid)));
    return answer;
  };
  const check = async (browser: CookieJar) => (await call(browser, 'check-auth-status')).status;
  const renew = (browser: CookieJar) => call(browser, 'renew-user-session');
  const list = async (uid = user.uid): Promise<ListedSession[]> =>
    listSessions(await getRecords(), { uid, now: new Date(), validSince: new Date(0) });
  const kinds = async () => (await exportEvents(await getRecords(), user.uid)).map((event) => event.kind);
  const getId = async (browser: CookieJar) => {
    const own = (await list()).find(({ sids }) => sids.includes(browser.cookies.kk_sid ?? ''));
    return own?.id ?? '';
  };
  /** Shifts the server's clock, not its timers. */
  const advance = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
  /** Changes the age of the user's rows in a table, so that tests need not wait. */
  const moveBack = async (table: string, column: string, seconds = 60) => {
    const time = sql.identifier(column);
    const change = sql`update ${sql.identifier(table)} set ${time} = ${time} - make_interval(secs => ${seconds})`;
    await (await getRecords()).transact((tx) => tx.execute(sql`${change} where uid = ${user.uid}`));
  };
  const expectCode = (answer: { status: number; body: Record<string, unknown> | null }, status: number, code: string) =>
    expect([answer.status, answer.body?.code]).toEqual([status, code]);

  return {
    get user() {
      return user;
    },
    get origin() {
      return app.origin;
    },
    newBrowser,
    call,
    open,
    signIn,
    check,
    renew,
    list,
    kinds,
    getId,
    advance,
    moveBack,
    expectCode,
  };
}
