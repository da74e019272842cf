import { eq, inArray, sql } from 'drizzle-orm';
import { processWide } from '@/lib/server/runtime';
import { oidcArtifacts, oidcClientSessions, oidcLogouts, sessionCookies, sessions } from './schema';
import type { Tx } from './types';

/** Until the transaction that announces is over, in milliseconds. One that takes longer is found in the next round. */
const COMMIT_MS = 50;

const slot = () => processWide('logout-wake', () => ({ wake: () => {} }));

/** @param wake sends logout tokens that are due */
export function onLogout(wake: () => void): void {
  slot().wake = wake;
}

/**
 * Ends what clients of the OpenID Provider have of these sessions: codes, tokens and grants at once, and each client is told once
 * (docs/adr/0038). In the transaction that ends the sessions.
 * @param everywhere all sessions of the account: a client is told of none in particular
 */
export async function endClientSessions(
  tx: Tx,
  sessionIds: readonly string[],
  { uid, everywhere }: { uid: string; everywhere: boolean },
): Promise<void> {
  if (sessionIds.length === 0) return;
  const ids = [...sessionIds];
  await tx.delete(oidcArtifacts).where(inArray(oidcArtifacts.sessionId, ids));
  const told = await tx
    .delete(oidcClientSessions)
    .where(inArray(oidcClientSessions.sessionId, ids))
    .returning({ clientId: oidcClientSessions.clientId, sid: oidcClientSessions.sid });
  const clients = everywhere
    ? [...new Set(told.map(({ clientId }) => clientId))].map((clientId) => ({ clientId, sid: null }))
    : told;
  if (clients.length === 0) return;
  const now = sql`now()`;
  setTimeout(() => slot().wake(), COMMIT_MS).unref();
  await tx
    .insert(oidcLogouts)
    .values(clients.map((client) => ({ ...client, id: sql`gen_random_uuid()`, sub: uid, createdAt: now, dueAt: now })));
}

/** The same for an account whose records are deleted. */
export async function endClientSessionsOfAccount(tx: Tx, uid: string): Promise<void> {
  // Bounded: one account's, of which none may be left out.
  const found = await tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.uid, uid));
  await endClientSessions(
    tx,
    found.map(({ id }) => id),
    { uid, everywhere: true },
  );
}

/** The same for the sessions of these cookies, which themselves go on. */
export async function endClientSessionsOfCookies(tx: Tx, sids: readonly string[], uid: string): Promise<void> {
  // Bounded: one row for each cookie of a request.
  const found = await tx
    .select({ id: sessionCookies.sessionId })
    .from(sessionCookies)
    .where(inArray(sessionCookies.sid, [...sids]));
  await endClientSessions(
    tx,
    found.map(({ id }) => id),
    { uid, everywhere: false },
  );
}
