import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import type { Activity } from '@/lib/shared/account/activity';
import type { DeletionState, SignInToCheck, AccountSecurity } from '@/lib/shared/account/security';
import { nullOnProblem } from '@/lib/shared/problem';
import { getSecondFactorUse } from '@/lib/server/policy';
import { readDeletion } from '@/lib/server/notifications';
import { getAccountSecurity, type LiveSession, toSessionRequest } from '@/lib/server/session';
import { insertMethods, listEvents, readLastSignIn } from '@/lib/server/storage';
import { listUncheckedSignIns } from '@/lib/server/accounts';
import { loadPasskeys, type PasskeysState } from './passkeys';
import { loadSecondFactor, type SecondFactorState } from './second-factor-state';
import { loadDevices, type DevicesState } from './devices';
import { readRecords } from './read-records';

/** Null: this deployment keeps no records. */
export type ActivityState = Activity | 'unavailable' | null;

type SecurityProps = {
  account: AccountSecurity | null;
  activity: ActivityState;
  devices: DevicesState;
  deletion: DeletionState;
  signIns: SignInToCheck[];
  passkeys: PasskeysState;
  secondFactor: SecondFactorState;
};

/** Props of /security; `account` is null while the identity provider does not have it. */
export async function loadSecurityPage(
  session: LiveSession,
  { req }: Pick<GetServerSidePropsContext, 'req'>,
): Promise<GetServerSidePropsResult<SecurityProps>> {
  const requestedAt = new Date();
  const { uid } = session.status;
  const found = await getAccountSecurity(uid, toSessionRequest(req));
  if (found === null)
    return {
      props: {
        account: null,
        activity: null,
        devices: null,
        deletion: null,
        signIns: [],
        passkeys: null,
        secondFactor: null,
      },
    };
  const { account, security } = found;
  const [activity, devices, deletion, signIns, lastSignIn, loaded, secondFactor, rule] = await Promise.all([
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
      activity,
      devices,
      deletion,
      signIns,
      passkeys: passkeys.list,
      secondFactor: isOff ? null : secondFactor,
    },
  };
}

/** Renewals move the identity provider's time (docs/adr/0027): it is shown only where no sign-in is recorded. */
async function loadLastSignIn({ uid, lastSignIn }: AccountSecurity): Promise<string | null> {
  const recorded = await readRecords('the last sign-in cannot be read', (records) => readLastSignIn(records, uid));
  return recorded instanceof Date ? recorded.toISOString() : lastSignIn;
}

async function loadDeletion(uid: string): Promise<DeletionState> {
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

async function loadActivity({ uid, methods }: AccountSecurity, requestedAt: Date): Promise<ActivityState> {
  const at = new Date();
  const read = { methods: methods.map(({ id }) => id), requestedAt };
  return readRecords('the account activity cannot be read', async (records) => {
    // Before reading: this page may just have connected or disconnected one.
    await insertMethods(records, { uid, at, read });
    return listEvents(records, { uid, now: at, before: null });
  });
}
