import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import type { Activity } from '@/lib/shared/account/activity';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { getAccountSecurity } from '../accounts/account-security';
import { log } from '../observability/log';
import { getRecords, hasRecords } from '../records';
import { insertMethods, listEvents, type SeenMethods } from '../records/events';
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
  const requestedAt = new Date();
  const account = await getAccountSecurity(uid, toSessionRequest(req));
  return { props: { account, activity: account && (await loadActivity(account, requestedAt)) } };
}

async function loadActivity({ uid, methods }: AccountSecurity, requestedAt: Date): Promise<ActivityState> {
  if (!hasRecords()) return null;
  const read = { methods: methods.map(({ id }) => id), requestedAt };
  try {
    return await promiseTimeout(readActivity({ uid, at: new Date(), read }), ACTIVITY_TIMEOUT_MS);
  } catch (error) {
    log().warn({ err: error }, 'the account activity cannot be read');
    return 'unavailable';
  }
}

async function readActivity(seen: SeenMethods): Promise<Activity> {
  const records = await getRecords();
  // Before reading: this page may just have connected or disconnected one.
  await insertMethods(records, seen);
  return listEvents(records, { uid: seen.uid, now: seen.at, before: null });
}
