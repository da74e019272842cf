import type { IncomingMessage } from 'node:http';
import { listUncheckedSignIns, readDeletion } from '@/lib/server/accounts';
import { arePasskeysOffered, getRelyingParty, type RequestCookies, type RequestWithCookies } from '@/lib/server/http';
import { findById, getUsablePasskeys } from '@/lib/server/identity';
import { readFactorReset } from '@/lib/server/notifications';
import { toPasskeyList } from '@/lib/server/passkeys';
import { getSecondFactorUse, hasMethod, isSecondFactorOffered, listMethods, type Account } from '@/lib/server/policy';
import { describeSecondFactor, readSecondFactor } from '@/lib/server/second-factor';
import { getRememberedUntil, getSessionBackend, toSessionRequest, type LiveSession } from '@/lib/server/session';
import {
  insertMethods,
  hasEndMark,
  listEvents,
  listPasskeys,
  listSessions,
  readLastSignIn,
  readRecoveryEmail,
  type ListedSession,
  type Records,
} from '@/lib/server/storage';
import type { Activity } from '@/lib/shared/account/activity';
import { listNextSteps, type NextStep } from '@/lib/shared/account/next-step';
import type { PasskeyList } from '@/lib/shared/account/passkeys';
import type {
  AccountSecurity,
  DeletionState,
  DeviceSession,
  SecondFactor,
  SignInToCheck,
} from '@/lib/shared/account/security';
import { paths } from '@/lib/shared/paths';
import { isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { SOCIAL_PROVIDER_IDS, SOCIAL_PROVIDERS } from '@/lib/shared/sign-in-methods';
import { readRecords, redirectTo, type Recorded, type PageContext, type Loading } from './page';

/** Loads the sessions of the account, with the page's own session first. */
async function loadDevices(session: LiveSession): Promise<Recorded<DeviceSession[]>> {
  return readRecords('the sessions of an account cannot be read', async (records) => {
    const found = await readSessions(records, session);
    const current = found.find(({ sids }) => sids.includes(session.sid));
    const others = found.filter((each) => each !== current).map((each) => toDevice(each, false, session));
    return [...(current ? [toDevice(current, true, session)] : []), ...others];
  });
}

async function readSessions(records: Records, { status: { uid }, validSince }: LiveSession): Promise<ListedSession[]> {
  const listed = await listSessions(records, { uid, now: new Date(), validSince: new Date((validSince ?? 0) * 1000) });
  // A session that was ended while the database was unavailable only has marks. It is shown if any of its cookies is
  // unmarked, because it may still be live.
  if (!(await hasEndMark(listed.flatMap(({ sids }) => sids)))) return listed;
  const live = await Promise.all(
    listed.map(async ({ sids }) => (await Promise.all(sids.map((sid) => hasEndMark([sid])))).includes(false)),
  );
  return listed.filter((_, index) => live[index]);
}

function toDevice(
  { id, browser, system, method, firstSeenAt, lastSeenAt, rememberedAt }: ListedSession,
  isCurrent: boolean,
  { validSince }: LiveSession,
): DeviceSession {
  const until = getRememberedUntil({ rememberedAt, validSince: validSince ?? 0, now: new Date() });
  const rememberedUntil = until?.toISOString() ?? null;
  const [firstUsed, lastUsed] = [firstSeenAt.toISOString(), lastSeenAt.toISOString()];
  return { id, isCurrent, browser, system, method, firstUsed, lastUsed, rememberedUntil };
}

type Loaded = { list: PasskeyList; usable: number };

/** Loads the passkeys of the signed-in user. `usable`: how many of them can sign in. */
async function loadPasskeys(
  req: Pick<IncomingMessage, 'headers'>,
  { user, facts }: Account,
): Promise<Recorded<Loaded>> {
  const rp = getRelyingParty();
  if (rp === null || !arePasskeysOffered(req)) return null;
  return readRecords('the passkeys of an account cannot be read', async (records) => {
    const stored = await listPasskeys(records, user.uid);
    const usable = getUsablePasskeys(rp, facts, stored.passkeys).length;
    return { list: toPasskeyList(rp, user, stored), usable };
  });
}

async function loadSecondFactor(uid: string): Promise<Recorded<SecondFactor>> {
  if (!isSecondFactorOffered()) return null;
  return readRecords('the second factor of an account cannot be read', async (records) => {
    const stored = await readSecondFactor(records, uid);
    const reset = await readFactorReset(records, uid);
    return { ...describeSecondFactor(stored), endsAt: reset?.effectiveAt.toISOString() ?? null };
  });
}

async function loadRecovery(uid: string): Promise<SecurityProps['recovery']> {
  return readRecords('the recovery email of an account cannot be read', async (records) => {
    const found = await records.query((tx) => readRecoveryEmail(tx, uid));
    return { email: found?.email ?? null };
  });
}

type SecurityProps = {
  account: AccountSecurity | null;
  isOwnBrowser: boolean;
  activity: Recorded<Activity>;
  devices: Recorded<DeviceSession[]>;
  deletion: DeletionState;
  recovery: Recorded<{ email: string | null }>;
  signIns: SignInToCheck[];
  nextSteps: NextStep[];
  passkeys: Recorded<PasskeyList>;
  secondFactor: Recorded<SecondFactor>;
};

/**
 * Fetches the account data of /security live, without passkeys, which are only in the records. If the origin's methods
 * are unknown, all count as enabled, because a change is decided again.
 * @returns null if the account no longer exists
 */
export async function getAccountSecurity(
  uid: string,
  req: Pick<IncomingMessage, 'headers' | 'socket'> & RequestCookies,
): Promise<{ account: Account; security: AccountSecurity } | null> {
  const found = await findById(uid);
  if (!found) return null;
  const { user, facts } = found;
  const { lastSignInTime } = user.metadata;
  const enabled = await nullOnProblem(toSessionRequest(req).enabledIdentities());
  const security = {
    uid,
    name: user.displayName ?? null,
    email: user.email ?? null,
    emailVerified: facts.emailVerified,
    methods: await listMethods(facts, enabled),
    connectable: SOCIAL_PROVIDER_IDS.filter(
      (id) => (enabled?.has(id) ?? true) && !hasMethod(facts, SOCIAL_PROVIDERS[id].firebaseId),
    ),
    passkeys: 0,
    hasSecondFactor: facts.hasSecondFactor,
    lastSignIn: lastSignInTime ? new Date(lastSignInTime).toISOString() : null,
  };
  return { account: found, security };
}

/** Loads /security. `account` is null if the identity provider does not have the account. */
export async function loadSecurityPage(
  session: LiveSession,
  { req }: Pick<PageContext, 'req'>,
): Loading<SecurityProps> {
  const requestedAt = new Date();
  const { uid } = session.status;
  const found = await getAccountSecurity(uid, req);
  if (found === null)
    return {
      props: {
        account: null,
        isOwnBrowser: true,
        activity: null,
        devices: null,
        deletion: null,
        recovery: null,
        signIns: [],
        nextSteps: [],
        passkeys: null,
        secondFactor: null,
      },
    };
  const { account, security } = found;
  const [isOwnBrowser, activity, devices, deletion, recovery, signIns, lastSignIn, loaded, secondFactor, rule] =
    await Promise.all([
      isInOwnBrowser(uid, req),
      loadActivity(security, requestedAt),
      loadDevices(session),
      loadDeletion(uid),
      loadRecovery(uid),
      loadSignIns(session),
      loadLastSignIn(security),
      loadPasskeys(req, account),
      loadSecondFactor(uid),
      nullOnProblem(toSessionRequest(req).secondFactorRule()),
    ]);
  // If second factors are off, only a user who has a second factor sees the section.
  const isOff = getSecondFactorUse(account.facts, rule).use === 'off' && !account.facts.hasSecondFactor;
  const { usable, ...passkeys } = typeof loaded === 'object' && loaded !== null ? loaded : { usable: 0, list: loaded };
  const state = {
    account: { ...security, lastSignIn, passkeys: usable },
    deletion,
    recovery,
    // Only the session's own browser may answer these questions.
    signIns: isOwnBrowser ? signIns : [],
    passkeys: passkeys.list,
    secondFactor: isOff ? null : secondFactor,
  };
  // Another browser can change nothing.
  const nextSteps = isOwnBrowser ? listNextSteps(state) : [];
  return { props: { ...state, isOwnBrowser, activity, devices, nextSteps } };
}

/**
 * Loads /account-settings/change-password. An account without a password has nothing to change. An account that cannot
 * be read may have a password.
 */
export async function loadChangePassword({ status: { uid, email } }: LiveSession): Loading<{ email: string }> {
  const account = await nullOnProblem(findById(uid));
  if (account && !hasMethod(account.facts, 'password')) return redirectTo(paths.security);
  return { props: { email: email ?? '' } };
}

/** Whether this browser may change the account, as far as known. */
async function isInOwnBrowser(uid: string, req: RequestWithCookies): Promise<boolean> {
  try {
    await getSessionBackend().requireOwnBrowser(uid, toSessionRequest(req));
    return true;
  } catch (error) {
    return !isApiProblem(error) || error.code !== 'recent-login-required';
  }
}

/**
 * Loads the last recorded sign-in, or else the identity provider's time. Renewals change the provider's time
 * (docs/adr/0027).
 */
async function loadLastSignIn({ uid, lastSignIn }: AccountSecurity): Promise<string | null> {
  const recorded = await readRecords('the last sign-in cannot be read', (records) => readLastSignIn(records, uid));
  return recorded instanceof Date ? recorded.toISOString() : lastSignIn;
}

/** Loads when the account will be deleted, if a deletion is scheduled. */
export async function loadDeletion(uid: string): Promise<DeletionState> {
  return readRecords('whether an account is to be deleted cannot be read', async (records) => {
    const deletion = await readDeletion(records, uid);
    return { effectiveAt: deletion?.effectiveAt.toISOString() ?? null };
  });
}

async function loadSignIns({ sid, status: { uid } }: LiveSession): Promise<SignInToCheck[]> {
  const found = await readRecords('sign-ins to check cannot be read', (records) =>
    listUncheckedSignIns(records, { uid, sid }, new Date()),
  );
  return Array.isArray(found) ? found.map(({ openedAt, ...rest }) => ({ ...rest, at: openedAt.toISOString() })) : [];
}

async function loadActivity({ uid, methods }: AccountSecurity, requestedAt: Date): Promise<Recorded<Activity>> {
  const at = new Date();
  const read = { methods: methods.map(({ id }) => id), requestedAt };
  return readRecords('the account activity cannot be read', async (records) => {
    // Record the methods before reading, because this page may have just connected or disconnected a method.
    await insertMethods(records, { uid, at, read });
    return listEvents(records, { uid, now: at, before: null });
  });
}
