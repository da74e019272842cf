import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { beforeAll, afterAll, expect, inject } from 'vitest';
import { getProvedEmail } from '@/lib/server/policy/account';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { findById } from '@/lib/server/identity/find';
import { callProvider, idpResponse } from './accounts-client';
import { enterByMailbox, type MailboxApp, type ShowFactor } from './mailbox-owner';

/**
 * Interleaves a foreign change of an account with a change of ours, at every moment at which one can fall: the app reads and writes accounts by
 * calls to the identity provider, so a foreign change is before one of them, or after the last. Whatever else the app awaits in
 * between makes no difference to the provider.
 */

const PREPARED_AT_ONCE = 6;

/** What a user who knows the account's password does at the provider's public API. */
export type ForeignChange = (account: {
  email: string;
  password: string;
  idToken: string;
  takes?: string | undefined;
}) => Promise<Foreign>;
/** What the foreign party brought to the account. */
export type Foreign = { email?: string; password?: string; provider?: string };

/** What was done about a change of ours, and how far that was. */
type Outcome = Foreign & {
  /** The app has written the account since: what the foreign party brought was there to be seen. */
  wasWrittenAfter: boolean;
};

/** A change of ours that is ready to be made. */
export type Prepared = {
  uid: string;
  email: string;
  /** Known to the foreign party. */
  password: string;
  run: () => Promise<unknown>;
  /** The address that a foreign change of the email takes; a free one by default. */
  takes?: string;
  /** The owner's own. */
  showFactor?: ShowFactor;
  /** What else must hold when both changes were made, before the owner has done anything. */
  expectAfter?: (foreign: Outcome) => Promise<void>;
  /** What else must hold when she has got in. */
  expectEntered?: (owner: { uid: string }, foreign: Outcome) => Promise<void>;
};

const provider = (method: string, body: object) =>
  callProvider({ emulatorHost: inject('emulatorHost') }, `accounts:${method}`, { returnSecureToken: true, ...body });

/** The foreign party's token, or a new sign-in when that was revoked; both may be refused, and then nothing is changed. */
async function insist(
  account: { email: string; password: string; idToken: string },
  call: (idToken: string) => ReturnType<typeof provider>,
): Promise<boolean> {
  if ((await call(account.idToken)).status === 200) return true;
  const { body } = await provider('signInWithPassword', { email: account.email, password: account.password });
  return typeof body.idToken === 'string' && (await call(body.idToken)).status === 200;
}

export const FOREIGN_CHANGES: Record<'email' | 'password' | 'link', ForeignChange> = {
  email: async (account) => {
    const email = account.takes ?? `thief-${randomUUID()}@mallory.test`;
    return (await insist(account, (idToken) => provider('update', { idToken, email }))) ? { email } : {};
  },
  password: async (account) => {
    const password = `mallory-${randomUUID()}`;
    return (await insist(account, (idToken) => provider('update', { idToken, password }))) ? { password } : {};
  },
  link: async (account) => {
    const email = `thief-${randomUUID()}@mallory.test`;
    const identity = idpResponse('google.com', { sub: randomUUID(), email, email_verified: true });
    const isLinked = await insist(account, (idToken) => provider('signInWithIdp', { idToken, ...identity }));
    return isLinked ? { provider: 'google.com' } : {};
  },
};

/** Every call of the app to the identity provider passes through here. Call at the top of a test file, before the API is served. */
export function interleaveProvider() {
  let armed: { at: number; calls: number; act: () => Promise<void>; writesAfter: number } | null = null;
  const server = createServer((req, res) => {
    void (async () => {
      const body = await buffer(req);
      if (armed !== null && armed.calls++ === armed.at) await armed.act();
      // The call that it was made before is one of those after it.
      if (armed !== null && armed.calls > armed.at && isWrite(req.url, body)) armed.writesAfter += 1;
      const headers = {
        'content-type': req.headers['content-type'] ?? 'application/json',
        authorization: req.headers.authorization ?? '',
      };
      const init = { method: req.method ?? 'GET', headers, ...(body.length > 0 && { body }) };
      const answer = await fetch(`http://${inject('emulatorHost')}${req.url ?? '/'}`, init);
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    })().catch(() => res.destroy());
  });
  beforeAll(async () => {
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    process.env.FIREBASE_AUTH_EMULATOR_HOST = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /**
   * Runs the change once for every moment of the foreign one, each time on another account, and has the owner get in afterwards.
   * @returns how many moments there were
   */
  return async (app: MailboxApp, prepare: () => Promise<Prepared>, change: ForeignChange): Promise<number> => {
    let at = 0;
    for (;;) {
      // Most of a preparation, and of what follows, is waiting for the next second.
      const all = await Promise.all(Array.from({ length: PREPARED_AT_ONCE }, prepare));
      const done: Done[] = [];
      for (const prepared of all) {
        done.push(await runAt(at, prepared, change));
        if (done.at(-1)?.isLast) break;
        at += 1;
      }
      await Promise.all(done.map((one) => expectOwned(app, one)));
      if (done.at(-1)?.isLast) return at;
    }
  };

  async function runAt(at: number, prepared: Prepared, change: ForeignChange): Promise<Done> {
    const { uid, email, password, takes } = prepared;
    const { body } = await provider('signInWithPassword', { email, password });
    const account = { email, password, idToken: String(body.idToken), takes };
    const before = await findById(uid);
    let foreign: Foreign | null = null;
    const act = async () => void (foreign = await change(account));
    armed = { at, calls: 0, act, writesAfter: 0 };
    await prepared.run();
    await drainBehindResponses();
    const wasWrittenAfter = armed.writesAfter > 0;
    armed = null;
    const isLast = foreign === null;
    if (isLast) await act();
    const outcome: Outcome = { ...(foreign ?? {}), wasWrittenAfter };
    return {
      prepared,
      isProved: before !== null && getProvedEmail(before.user) !== null,
      foreign: outcome,
      isLast,
      moment: `moment ${String(at)}`,
    };
  }
}

type Done = { prepared: Prepared; isProved: boolean; foreign: Outcome; isLast: boolean; moment: string };

/** Not a revocation alone, which follows a change that took longer than a second: it removes nothing that was brought meanwhile. */
function isWrite(url = '', body: Buffer): boolean {
  if (!/accounts:(update|delete|batchCreate)|\/accounts$/.test(url.split('?')[0] ?? '')) return false;
  return Object.keys(JSON.parse(body.toString()) as object).some((key) => !['localId', 'validSince'].includes(key));
}

/**
 * The invariants of the account policy that hold whatever a foreign party did in between (docs/account-policy.md). The owner gets in by
 * her mailbox, and so does the user whose address the account was given.
 */
async function expectOwned(app: MailboxApp, { prepared, isProved, foreign, moment }: Done): Promise<void> {
  const { uid, email, showFactor } = prepared;
  if (isProved) {
    const before = await findById(uid);
    expect(before && getProvedEmail(before.user), `${moment}: the proved address is of who proved it`).toBe(email);
  }
  await prepared.expectAfter?.(foreign);
  const enter = async (address: string, show?: ShowFactor) => {
    try {
      return await enterByMailbox(app, address, show);
    } catch (error) {
      throw new Error(
        `${moment}: ${address === email ? 'the owner' : 'the owner of the address that was taken'} cannot get in: ${String(error)}`,
        { cause: error },
      );
    }
  };
  // First the address that was taken: her account must be another one than that of the thief.
  const other = foreign.email === undefined ? null : await enter(foreign.email);
  const owner = await enter(email, showFactor);
  expect(owner, `${moment}: two addresses have two accounts`).not.toBe(other);
  if (isProved) expect(owner, `${moment}: the owner has her account`).toBe(uid);
  await prepared.expectEntered?.({ uid: owner }, foreign);
}
