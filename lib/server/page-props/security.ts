import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import type { Activity } from '@/lib/shared/account/activity';
import type { DeletionState } from '@/lib/shared/account/deletion';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { readDeletion } from '../account-deletion/rows';
import { getAccountSecurity } from '../accounts/account-security';
import { insertMethods, listEvents, readLastSignIn } from '../records/events';
import type { LiveSession } from '../session';
import { loadDevices, type DevicesState } from './devices';
import { readRecords } from './read-records';
import { toSessionRequest } from '../session/request';

/** Null: this deployment keeps no records. */
export type ActivityState = Activity | 'unavailable' | null;

type SecurityProps = {
  account: AccountSecurity | null;
  activity: ActivityState;
  devices: DevicesState;
  deletion: DeletionState;
};

/** Props of /security; `account` is null while the identity provider does not have it. */
export async function loadSecurityPage(
  session: LiveSession,
  { req }: Pick<GetServerSidePropsContext, 'req'>,
): Promise<GetServerSidePropsResult<SecurityProps>> {
  const requestedAt = new Date();
  const { uid } = session.status;
  const account = await getAccountSecurity(uid, toSessionRequest(req));
  if (account === null) return { props: { account, activity: null, devices: null, deletion: null } };
  const [activity, devices, deletion, lastSignIn] = await Promise.all([
    loadActivity(account, requestedAt),
    loadDevices(session, req),
    loadDeletion(uid),
    loadLastSignIn(account),
  ]);
  return { props: { account: { ...account, lastSignIn }, activity, devices, deletion } };
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

async function loadActivity({ uid, methods }: AccountSecurity, requestedAt: Date): Promise<ActivityState> {
  const at = new Date();
  const read = { methods: methods.map(({ id }) => id), requestedAt };
  return readRecords('the account activity cannot be read', async (records) => {
    // Before reading: this page may just have connected or disconnected one.
    await insertMethods(records, { uid, at, read });
    return listEvents(records, { uid, now: at, before: null });
  });
}
