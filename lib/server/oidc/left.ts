import { and, eq, isNull } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sealShort, unseal } from '@/lib/server/codes';
import type { RequestWithCookies } from '@/lib/server/http';
import { env, getSealingKeys } from '@/lib/server/runtime';
import { endSession, readRecordedSession } from '@/lib/server/session';
import { oidcClientSessions, queryInTime, sessions } from '@/lib/server/storage';
import { LEFT_CLIENTS, paths } from '@/lib/shared/paths';
import { nullOnProblem } from '@/lib/shared/problem';
import { findConfiguredClient } from './clients';
import { isOidcOffered } from './handler';

// Clients that a sign-out does not reach, because they have no endpoint for logout tokens. Their users stay signed in
// there.

/**
 * `address`: the client's page that signs its user out, or null if only its name is known. `host`: host of that page,
 * or of where it signs in.
 */
export type LeftClient = { name: string; address: string | null; host: string | null };

/**
 * Finds the clients of a request's session that cannot be notified of its end.
 * @returns null if that cannot be decided
 */
export async function findLeftClients(req: RequestWithCookies): Promise<string[] | null> {
  if (!isOidcOffered()) return [];
  return nullOnProblem(readRecordedSession(req).then((session) => selectLeft(session?.clients ?? [])));
}

/** Finds the clients of all live sessions of an account that cannot be notified of their end. @returns null if unknown */
export async function findLeftClientsOfAccount(uid: string): Promise<string[] | null> {
  if (!isOidcOffered()) return [];
  const ofAccount = and(eq(sessions.uid, uid), isNull(sessions.endedAt));
  const found = await nullOnProblem(
    queryInTime((tx) =>
      // Bounded: a row for each client that was configured.
      tx
        .selectDistinct({ id: oidcClientSessions.clientId })
        .from(oidcClientSessions)
        .innerJoin(sessions, eq(sessions.id, oidcClientSessions.sessionId))
        .where(ofAccount),
    ),
  );
  return found && selectLeft(found.map(({ id }) => id));
}

async function selectLeft(ids: readonly string[]): Promise<string[]> {
  const left = await Promise.all(ids.map(async (id) => ((await isTold(id)) ? [] : [id])));
  return left.flat();
}

async function isTold(id: string): Promise<boolean> {
  const client = await findConfiguredClient(id);
  return client?.enabled === true && client.backchannelLogoutUri !== undefined;
}

/** Describes clients for users. For a client that was removed from the file, only its id is known. */
export function describeLeftClients(ids: readonly string[]): Promise<LeftClient[]> {
  return Promise.all(
    ids.map(async (id) => {
      const client = await findConfiguredClient(id);
      const [web] = client?.redirectUris.filter((uri) => /^https?:/.test(uri)) ?? [];
      const address = client?.logoutUri ?? null;
      const shown = address ?? web;
      return { name: client?.name ?? id, address, host: shown === undefined ? null : new URL(shown).hostname };
    }),
  );
}

const TTL_SECONDS = 60 * 60;
const getKeys = () => getSealingKeys(env().TOKEN_ENCRYPTION_SECRET, 'left-clients');
const idsSchema = z.array(z.string());

/**
 * Builds the URL of the page that lists the clients of an ended session. The list is sealed, so that the URL reveals
 * nothing about a user and no other site can forge it.
 */
export async function buildLeftPage(ids: readonly string[]): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + TTL_SECONDS;
  const payload = { ids: JSON.stringify(ids) };
  const sealed = await sealShort({ jti: randomUUID(), mark: '', payload, exp }, getKeys());
  return `${paths.signOut}?${new URLSearchParams({ [LEFT_CLIENTS]: sealed }).toString()}`;
}

/** Builds the response of a call that signs out. */
export async function toSignedOut(ids: readonly string[] | null): Promise<{ signedOutPage?: string }> {
  return ids === null || ids.length === 0 ? {} : { signedOutPage: await buildLeftPage(ids) };
}

/** Ends the session of a request. @returns the body of the response */
export async function endSessionByCall(req: RequestWithCookies): Promise<{ signedOutPage?: string }> {
  // Find the clients first, because the end of the session deletes their list.
  const left = await findLeftClients(req);
  await endSession(req);
  return toSignedOut(left);
}

/** @returns an empty list if it was not sealed here, or after an hour */
export async function readLeftClients(sealed: unknown): Promise<LeftClient[]> {
  if (typeof sealed !== 'string') return [];
  const read = await nullOnProblem(unseal(sealed, getKeys()));
  const ids = idsSchema.safeParse(JSON.parse(read?.payload.ids ?? '[]'));
  return describeLeftClients(ids.data ?? []);
}
