import { listAddresses } from '@/lib/server/accounts';
import { readStored, readStoredByEmail, toAccount } from '@/lib/server/identity';
import { readFactorReset } from '@/lib/server/notifications';
import { findOrganization, getProvedEmail, type StoredAccount } from '@/lib/server/policy';
import { hashAccount, log } from '@/lib/server/runtime';
import {
  consumeLimit,
  exportSessions,
  findRecoveryOwner,
  hasAccountRecords,
  insertEvent,
  listAccountsOfRequest,
  listEventsForSupport,
  listPasskeys,
  listMovedFrom,
  listProvedBy,
  listSentEmails,
  readRecoveryEmail,
  type Records,
  withRecords,
} from '@/lib/server/storage';
import { cleanEmail } from '@/lib/shared/account/clean-email';
import type { LookedUp, LookUpKey, SupportAccount } from '@/lib/shared/support/desk';
import { type Operator, listPossibleActions } from './decide';
import { describeAccountForSupport } from './describe';
import { readActionState, toActionFacts } from './facts';

/** Maximum number of sessions of a description, the newest first. */
const MAX_SESSIONS = 100;

/** Which account to look up, and why. Its owner reads the name of the operator and the reason in "Download my data". */
export type LookUp = { [Key in LookUpKey | 'reason']?: string | undefined };

/**
 * Looks up the accounts that have an email, have proved it, have it as recovery email, or had it before a change of the last days. Also looks up the
 * account of an id, or the accounts that a request or a tab is about. It changes nothing about them, but records who looked and why.
 * @param operator who looks. `actions` of each account are those that this operator can take
 * @returns `accounts`: none, one, or several if another account has the email that one has proved. `emails`: if no
 *   account has the email, what was sent to it. An account begins when the learner enters the code of a registration.
 * @throws ApiProblem `too-many-requests`, `records-unavailable`, 503
 */
export async function lookUpAccounts(operator: Operator, { reason, ...by }: LookUp): Promise<LookedUp> {
  await consumeLimit('support-look-up', operator.name);
  return withRecords(async (records) => {
    const found = await findSubjects(records, by);
    const described = [];
    for (const { id, user } of found) {
      await recordLook(records, { uid: id, operator: operator.name, reason });
      described.push(await describeAccount(records, operator, id, user));
    }
    const hashes = found.map(({ id }) => hashAccount(id));
    log().info({ operator: operator.name, accounts: hashes }, 'an operator looked up an account');
    const addresses = found.length === 0 && by.email !== undefined ? [cleanEmail(by.email)] : [];
    const emails = addresses.length === 0 ? [] : await listSentEmails(records, { uid: null, addresses });
    return { accounts: described, emails };
  });
}

type Subject = { id: string; user: StoredAccount | null };

/** Reads accounts as they are. Other look-ups restore the proved email first. */
async function findSubjects(records: Records, { email, uid, ...request }: Omit<LookUp, 'reason'>): Promise<Subject[]> {
  if (request.supportCode !== undefined || request.requestId !== undefined) {
    const found = await listAccountsOfRequest(records, request);
    return Promise.all(found.map(async (id) => ({ id, user: await readStored(id) })));
  }
  if (uid !== undefined) {
    const user = await readStored(uid);
    return user || (await hasAccountRecords(records, uid)) ? [{ id: uid, user }] : [];
  }
  const cleaned = cleanEmail(email ?? '');
  const holder = await readStoredByEmail(cleaned);
  const owners = await Promise.all((await listProvedBy(cleaned)).map((id) => readStored(id)));
  // An intruder may have changed the email, which its owner names.
  const moved = await Promise.all((await listMovedFrom(records, cleaned)).map((id) => readStored(id)));
  const recovery = await findRecoveryOwner(records, cleaned);
  const helped = recovery === null ? null : await readStored(recovery);
  const all = [holder, ...owners.filter((owner) => owner && getProvedEmail(owner) === cleaned), ...moved, helped];
  return all.flatMap((user, at) => {
    const isRepeated = all.findIndex((each) => each?.uid === user?.uid) < at;
    return user && !isRepeated ? [{ id: user.uid, user }] : [];
  });
}

/** Before the account is described, so that no look-up is without a trace. An account without a provider record stays as it is. */
export async function recordLook(
  records: Records,
  { uid, operator, reason }: { uid: string; operator: string; reason: string | undefined },
): Promise<void> {
  await insertEvent(records, { uid, kind: 'support-viewed', at: new Date(), operator, reason });
}

async function describeAccount(
  records: Records,
  operator: Operator,
  uid: string,
  user: StoredAccount | null,
): Promise<SupportAccount> {
  const now = new Date();
  const account = user && (await toAccount(user));
  const proved = user && getProvedEmail(user);
  const facts = account?.facts ?? null;
  const known = await readActionState(records, uid);
  const { since, apps, codes } = known.factor;
  const { passkeys } = await listPasskeys(records, uid);
  const reset = await readFactorReset(records, uid);
  const { deletion, lockedUntil } = known;
  const recovery = await records.query((tx) => readRecoveryEmail(tx, uid));
  const emails = await listSentEmails(records, { uid, addresses: user ? listAddresses(user) : [] });
  const sessions = await exportSessions(records, uid, MAX_SESSIONS);
  const events = await listEventsForSupport(records, uid);
  const state = describeAccountForSupport(
    {
      account: facts,
      hasOtherEmail: proved !== null && proved !== facts?.email,
      organization: facts && (await findOrganization(facts)),
      passkeys: passkeys.length,
      secondFactorSince: since,
      factorsLockedUntil: lockedUntil,
      resetAt: reset?.effectiveAt ?? null,
      deletion: deletion && { effectiveAt: deletion.effectiveAt, hasBegun: deletion.startedAt !== null },
    },
    now,
  );
  return {
    uid,
    email: facts?.email ?? null,
    provedEmail: proved,
    recoveryEmail: recovery?.email ?? null,
    createdAt: toRfc3339(user?.metadata.creationTime),
    lastSignInAt: toRfc3339(user?.metadata.lastSignInTime),
    state,
    actions: listPossibleActions(operator, toActionFacts(account, known)),
    signInMethods: (facts?.methods ?? []).map(({ id, email }) => ({ method: id, email })),
    passkeys: passkeys.map(({ name, createdAt, lastUsedAt, suspectAt }) => ({
      name,
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
      suspectAt: suspectAt?.toISOString() ?? null,
    })),
    secondFactor: {
      since: since?.toISOString() ?? null,
      apps: apps.map(({ createdAt, lastUsedAt }) => ({
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      })),
      recoveryCodesLeft: codes.length,
    },
    sessions: sessions.map(({ method, browser, system, ...times }) => ({
      method,
      browser,
      system,
      openedAt: times.openedAt.toISOString(),
      lastSeenAt: times.lastSeenAt.toISOString(),
      expiresAt: times.expiresAt.toISOString(),
      endedAt: times.endedAt?.toISOString() ?? null,
      endedBy: times.endedBy,
    })),
    events: events.map(({ kind, at, rule, method, browser, system, network, ...more }) => {
      const { operator, requestId, supportCode } = more;
      const client = { browser, system, network };
      return { kind, at: at.toISOString(), rule, method, ...client, operator, requestId, supportCode };
    }),
    emails,
  };
}

function toRfc3339(time: string | undefined): string | null {
  return time ? new Date(time).toISOString() : null;
}
