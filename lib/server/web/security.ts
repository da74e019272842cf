import type { IncomingMessage } from 'node:http';
import { listUncheckedSignIns } from '@/lib/server/accounts';
import { arePasskeysOffered, getRelyingParty, type RequestCookies, type RequestWithCookies } from '@/lib/server/http';
import { findById, getUsablePasskeys } from '@/lib/server/identity';
import { readDeletion, readFactorReset } from '@/lib/server/notifications';
import { toPasskeyList } from '@/lib/server/passkeys';
import { getSecondFactorUse, hasMethod, isSecondFactorOffered, listMethods, type Account } from '@/lib/server/policy';
import { describeClient } from '@/lib/server/runtime';
import { describeSecondFactor, readSecondFactor } from '@/lib/server/second-factor';
import { getRememberedUntil, getSessionBackend, toSessionRequest, type LiveSession } from '@/lib/server/session';
import {
  insertMethods,
  hasEndMark,
  listEvents,
  listPasskeys,
  listSessions,
  readLastSignIn,
  type ListedSession,
  type Records,
} from '@/lib/server/storage';
import type { Activity } from '@/lib/shared/account/activity';
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

/** The sessions of the account, that of the page first. */
async function loadDevices(session: LiveSession, req: RequestWithCookies): Promise<Recorded<DeviceSession[]>> {
  return readRecords('the sessions of an account cannot be read', async (records) => {
    const found = await readSessions(records, session);
    const current = found.find(({ sids }) => sids.includes(session.sid));
    const others = found.filter((each) => each !== current).map((each) => toDevice(each, false, session));
    return [current ? toDevice(current, true, session) : describeUnrecorded(session, req), ...others];
  });
}

async function readSessions(records: Records, { status: { uid }, validSince }: LiveSession): Promise<ListedSession[]> {
  const listed = await listSessions(records, { uid, now: new Date(), validSince: new Date((validSince ?? 0) * 1000) });
  // One that was ended while the database was away has only its marks. With a cookie that is not marked it may live: it is shown.
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

/** A session from before the update, or opened while the database was away: its next renewal records it. */
function describeUnrecorded({ authTime }: LiveSession, req: RequestWithCookies): DeviceSession {
  const { browser, system } = describeClient(req);
  const now = new Date();
  const firstUsed = authTime === null ? now : new Date(authTime * 1000);
  return {
    id: null,
    isCurrent: true,
    browser,
    system,
    method: null,
    firstUsed: firstUsed.toISOString(),
    lastUsed: now.toISOString(),
    rememberedUntil: null,
  };
}

type Loaded = { list: PasskeyList; usable: number };

/** The passkeys of the signed-in user; `usable`: how many of them sign in. */
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

type SecurityProps = {
  account: AccountSecurity | null;
  isOwnBrowser: boolean;
  activity: Recorded<Activity>;
  devices: Recorded<DeviceSession[]>;
  deletion: DeletionState;
  signIns: SignInToCheck[];
  passkeys: Recorded<PasskeyList>;
  secondFactor: Recorded<SecondFactor>;
};

/**
 * The account data that /security shows, fetched live, without passkeys, which only the records know; null when the account no longer
 * exists. While the origin's social providers cannot be determined, all count as enabled: a change is decided again.
 */
export async function getAccountSecurity(
  uid: string,
  req: Pick<IncomingMessage, 'headers' | 'socket'> & RequestCookies,
): Promise<{ account: Account; security: AccountSecurity } | null> {
  const found = await findById(uid);
  if (!found) return null;
  const { user, facts } = found;
  const { lastSignInTime } = user.metadata;
  const enabled = await nullOnProblem(toSessionRequest(req).enabledSocial());
  const security = {
    uid,
    name: user.displayName ?? null,
    email: user.email ?? null,
    emailVerified: facts.emailVerified,
    methods: await listMethods(facts, enabled),
    connectable: [...(enabled ?? SOCIAL_PROVIDER_IDS)].filter(
      (id) => !hasMethod(facts, SOCIAL_PROVIDERS[id].firebaseId),
    ),
    passkeys: 0,
    hasSecondFactor: facts.hasSecondFactor,
    lastSignIn: lastSignInTime ? new Date(lastSignInTime).toISOString() : null,
  };
  return { account: found, security };
}

/** Props of /security; `account` is null while the identity provider does not have it. */
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
        signIns: [],
        passkeys: null,
        secondFactor: null,
      },
    };
  const { account, security } = found;
  const [isOwnBrowser, activity, devices, deletion, signIns, lastSignIn, loaded, secondFactor, rule] =
    await Promise.all([
      isInOwnBrowser(uid, req),
      loadActivity(security, requestedAt),
      loadDevices(session, req),
      loadDeletion(uid),
      loadSignIns(session),
      loadLastSignIn(security),
      loadPasskeys(req, account),
      loadSecondFactor(uid),
      nullOnProblem(toSessionRequest(req).secondFactorRule()),
    ]);
  // Where it is off, only who has one sees it.
  const isOff = getSecondFactorUse(account.facts, rule).use === 'off' && !account.facts.hasSecondFactor;
  const { usable, ...passkeys } = typeof loaded === 'object' && loaded !== null ? loaded : { usable: 0, list: loaded };
  const shown = { ...security, lastSignIn, passkeys: usable };
  return {
    props: {
      account: shown,
      isOwnBrowser,
      activity,
      devices,
      deletion,
      // They are answered in the session's own browser alone.
      signIns: isOwnBrowser ? signIns : [],
      passkeys: passkeys.list,
      secondFactor: isOff ? null : secondFactor,
    },
  };
}

/** Props of /account-settings/change-password. Without a password there is none to change; an account that cannot be read may have one. */
export async function loadChangePassword({ status: { uid, email } }: LiveSession): Loading<{ email: string }> {
  const account = await nullOnProblem(findById(uid));
  if (account && !hasMethod(account.facts, 'password')) return redirectTo(paths.security);
  return { props: { email: email ?? '' } };
}

/** Whether a change of the account would be made for this browser, as far as that can be told. */
async function isInOwnBrowser(uid: string, req: RequestWithCookies): Promise<boolean> {
  try {
    await getSessionBackend().requireOwnBrowser(uid, toSessionRequest(req));
    return true;
  } catch (error) {
    return !isApiProblem(error) || error.code !== 'recent-login-required';
  }
}

/** Renewals move the identity provider's time (docs/adr/0027): it is shown only where no sign-in is recorded. */
async function loadLastSignIn({ uid, lastSignIn }: AccountSecurity): Promise<string | null> {
  const recorded = await readRecords('the last sign-in cannot be read', (records) => readLastSignIn(records, uid));
  return recorded instanceof Date ? recorded.toISOString() : lastSignIn;
}

/** When the account is deleted, if that is scheduled. */
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
    // Before reading: this page may just have connected or disconnected one.
    await insertMethods(records, { uid, at, read });
    return listEvents(records, { uid, now: at, before: null });
  });
}
