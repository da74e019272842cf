import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import type { Activity } from '@/lib/shared/account/activity';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { getAccountSecurity } from '../accounts/account-security';
import { log } from '../observability/log';
import { getRecords, hasRecords } from '../records';
import { insertMethods, listEvents } from '../records/events';
import type { LiveSession } from '../session';
import { toSessionRequest } from '../session/request';

/** How long the page waits for the database, in milliseconds. */
const ACTIVITY_TIMEOUT_MS = 2_000;

/** Null: this deployment keeps no records. */
export type ActivityState = Activity | 'unavailable' | null;

/** Props of /security; `account` is null while the identity provider does not have it. */
export async function loadSecurityPage(
  { status: { uid } }: LiveSession,
  { req }: Pick<GetServerSidePropsContext, 'req'>,
): Promise<GetServerSidePropsResult<{ account: AccountSecurity | null; activity: ActivityState }>> {
  const account = await getAccountSecurity(uid, toSessionRequest(req));
  return { props: { account, activity: account && (await loadActivity(account)) } };
}

async function loadActivity({ uid, methods }: AccountSecurity): Promise<ActivityState> {
  if (!hasRecords()) return null;
  try {
    return await promiseTimeout(
      readActivity(
        uid,
        methods.map(({ id }) => id),
      ),
      ACTIVITY_TIMEOUT_MS,
    );
  } catch (error) {
    log().warn({ err: error }, 'the account activity cannot be read');
    return 'unavailable';
  }
}

async function readActivity(uid: string, methods: string[]): Promise<Activity> {
  const records = await getRecords();
  const now = new Date();
  // Before reading: this page may just have connected or disconnected one.
  await insertMethods(records, { uid, at: now, methods });
  return listEvents(records, { uid, now, before: null });
}
