import type { GetServerSidePropsResult } from 'next';
import { readDeletion } from '@/lib/server/notifications';
import type { LiveSession } from '@/lib/server/session';
import { readRecords } from './read-records';

/** Props of /sign-in/keep-account; null when nothing is scheduled, or it cannot be read: the learner goes on. */
export async function loadKeepAccount({
  status: { uid },
}: LiveSession): Promise<GetServerSidePropsResult<{ effectiveAt: string | null }>> {
  const found = await readRecords('whether an account is to be deleted cannot be read', (records) =>
    readDeletion(records, uid),
  );
  const effectiveAt = typeof found === 'object' ? (found?.effectiveAt.toISOString() ?? null) : null;
  return { props: { effectiveAt } };
}
