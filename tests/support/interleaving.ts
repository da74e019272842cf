import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { beforeAll, afterAll, expect, inject } from 'vitest';
import { getProvedEmail } from '@/lib/server/account-policy/account';
import { decideEmailedAccess } from '@/lib/server/account-policy/mailbox';
import { findByEmail, findById } from '@/lib/server/accounts/find';
import { callProvider, idpResponse } from './accounts-client';

/**
 * Interleaves a foreign change of an account with a change of ours, at every moment at which one can fall: the app reads and writes accounts by
 * calls to the identity provider, so a foreign change is before one of them, or after the last. Whatever else the app awaits in
 * between makes no difference to the provider.
 */

const PREPARED_AT_ONCE = 6;

/** What a user who knows the account's password does at the provider's public API. */
export type ForeignChange = (account: { email: string; password: string; idToken: string }) => Promise<Foreign>;
/** What the foreign party brought to the account. */
export type Foreign = { email?: string; password?: string; provider?: string };

/** A change of ours that is ready to be made. */
export type Prepared = {
  uid: string;
  /** Its owner's, who has proved it. */
  email: string;
  password: string;
  run: () => Promise<unknown>;
  /** What else must hold when both changes were made. */
  expectAfter?: (foreign: Foreign) => Promise<void>;
};

const provider = (method: string, body: object) =>
  callProvider({ emulatorHost: inject('emulatorHost') }, `accounts:${method}`, { returnSecureToken: true, ...body });

/** The foreign party's token, or a new sign-in when that was revoked; both may be refused, and then nothing is changed. */
async function insist(
  account: { email: string; password: string; idToken: string },
  call: (idToken: string) => ReturnType<typeof provider>,
): Promise<boolean> {
  // prettier-ignore
  if ((await call(account.idToken)).status === 200) return true;
  const { body } = await provider('signInWithPassword', { email: account.email, password: account.password });
  return typeof body.idToken === 'string' && (await call(body.idToken)).status === 200;
}

export const FOREIGN_CHANGES: Record<'email' | 'password' | 'link', ForeignChange> = {
  email: async (account) => {
    const email = `thief-${randomUUID()}@mallory.test`;
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
  let armed: { at: number; calls: number; act: () => Promise<void> } | null = null;
  const server = createServer((req, res) => {
    void (async () => {
      const body = await buffer(req);
      if (armed !== null && armed.calls++ === armed.at) await armed.act();
      const headers = { 'content-type': req.headers['content-type'] ?? 'application/json', authorization: req.headers.authorization ?? '' }; // prettier-ignore
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
   * Runs the change once for every moment of the foreign one, each time on another account.
   * @returns how many moments there were
   */
  return async (prepare: () => Promise<Prepared>, change: ForeignChange): Promise<number> => {
    let at = 0;
    for (;;) {
      // Most of a preparation is waiting for the next second.
      for (const prepared of await Promise.all(Array.from({ length: PREPARED_AT_ONCE }, prepare))) {
        const isLast = await runAt(at, prepared, change);
        if (isLast) return at;
        at += 1;
      }
    }
  };

  async function runAt(at: number, prepared: Prepared, change: ForeignChange): Promise<boolean> {
    const { email, password } = prepared;
    const { body } = await provider('signInWithPassword', { email, password });
    const account = { email, password, idToken: String(body.idToken) };
    let foreign: Foreign | null = null;
    const act = async () => void (foreign = await change(account));
    armed = { at, calls: 0, act };
    await prepared.run();
    armed = null;
    const isLast = foreign === null;
    if (isLast) await act();
    await expectOwned(prepared, foreign ?? {}, `moment ${String(at)}`);
    return isLast;
  }
}

/** The invariants of the account policy that hold whatever a foreign party did in between (docs/account-policy.md). */
async function expectOwned({ uid, email, expectAfter }: Prepared, foreign: Foreign, moment: string): Promise<void> {
  const before = await findById(uid);
  const proved = before && getProvedEmail(before.user);
  expect(proved, `${moment}: the proved address is of who proved it`).toBe(email);
  // Every request for an email to an address looks for its account like this.
  if (foreign.email !== undefined) expect(await findByEmail(foreign.email), `${moment}: the foreign address has no account`).toBeNull(); // prettier-ignore
  const account = await findByEmail(email);
  expect(account?.facts.uid, `${moment}: the address has its account`).toBe(uid);
  const access = account && decideEmailedAccess(account.facts);
  expect(access?.password || access?.signIn, `${moment}: its owner can get in`).toBe(true);
  await expectAfter?.(foreign);
}
