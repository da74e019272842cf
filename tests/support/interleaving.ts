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
 * Interleaves a foreign change of an account with our change, at every possible moment. The app reads and writes
 * accounts by calls to the identity provider. So a foreign change happens before one of these calls or after the last.
 * Other things that the app awaits make no difference to the provider.
 */

const PREPARED_AT_ONCE = 6;

/** An action at the provider's public API by a user who knows the account's password. */
export type ForeignChange = (account: {
  email: string;
  password: string;
  idToken: string;
  takes?: string | undefined;
}) => Promise<Foreign>;
/** Things that the foreign party has added to the account. */
export type Foreign = { email?: string; password?: string; provider?: string };

/** The foreign party's result, and its position within our change. */
type Outcome = Foreign & {
  /** Whether the app wrote the account afterward, so that it could have seen the foreign change. */
  wasWrittenAfter: boolean;
};

/** A prepared change of ours. */
export type Prepared = {
  uid: string;
  email: string;
  /** A password that the foreign party knows. */
  password: string;
  run: () => Promise<unknown>;
  /** The owner's other address, if the change moves the account to it, or the account was moved from it. */
  other?: string;
  /** The address that a foreign change of the email takes. By default it is unused. */
  takes?: string;
  /** Shows the owner's second factor. */
  showFactor?: ShowFactor;
  /** Further expectations after both changes, before the owner acts. */
  expectAfter?: (foreign: Outcome) => Promise<void>;
  /** Further expectations after the owner has signed in. */
  expectEntered?: (owner: { uid: string }, foreign: Outcome) => Promise<void>;
};

const provider = (method: string, body: object) =>
  callProvider({ emulatorHost: inject('emulatorHost') }, `accounts:${method}`, { returnSecureToken: true, ...body });

/**
 * Returns the foreign party's token, or signs in again if it was revoked. Both may be refused, and then nothing is
 * changed.
 */
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

/**
 * Passes every call of the app to the identity provider through here. Call it at the top of a test file, before the API
 * is served.
 */
export function interleaveProvider() {
  let armed: { at: number; calls: number; act: () => Promise<void>; writesAfter: number } | null = null;
  const server = createServer((req, res) => {
    void (async () => {
      const body = await buffer(req);
      if (armed !== null && armed.calls++ === armed.at) await armed.act();
      // The foreign change was made before this call, so this call counts as one of the later writes.
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
   * Runs the change once for every moment of the foreign change, each time on another account. Then the owner signs in.
   * @returns the number of moments
   */
  return async (app: MailboxApp, prepare: () => Promise<Prepared>, change: ForeignChange): Promise<number> => {
    let at = 0;
    for (;;) {
      // Most of the preparation and of the later steps is waiting for the next second.
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

/**
 * Returns whether a call writes the account. A revocation alone does not count. It follows a change that took longer
 * than a second, and removes nothing that was added in the meantime.
 */
function isWrite(url = '', body: Buffer): boolean {
  if (!/accounts:(update|delete|batchCreate)|\/accounts$/.test(url.split('?')[0] ?? '')) return false;
  return Object.keys(JSON.parse(body.toString()) as object).some((key) => !['localId', 'validSince'].includes(key));
}

/**
 * Expects the invariants of the account policy that hold whatever a foreign party did (docs/account-policy.md). The
 * owner can sign in by her mailbox, and so can the user whose address the account was given.
 */
async function expectOwned(app: MailboxApp, { prepared, isProved, foreign, moment }: Done): Promise<void> {
  const { uid, showFactor } = prepared;
  await prepared.expectAfter?.(foreign);
  const present = await findById(uid);
  const proved = present && getProvedEmail(present.user);
  const email = isProved && prepared.other === proved ? prepared.other : prepared.email;
  if (isProved) expect(proved, `${moment}: the proved address is of who proved it`).toBe(email);
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
  // Begins with the address that was taken. Its owner's account must differ from the thief's.
  const other = foreign.email === undefined ? null : await enter(foreign.email);
  const owner = await enter(email, showFactor);
  expect(owner, `${moment}: two addresses have two accounts`).not.toBe(other);
  if (isProved) expect(owner, `${moment}: the owner has her account`).toBe(uid);
  await prepared.expectEntered?.({ uid: owner }, foreign);
}
