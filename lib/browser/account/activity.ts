import type { Activity } from '@/lib/shared/account/activity';
import { securityApiPaths } from '@/lib/shared/security-paths';
import { postJson } from '../api-client';

/** The account's events before one. @returns null when they cannot be loaded */
export async function fetchOlderEvents(before: string): Promise<Activity | null> {
  const result = await postJson<Activity>(securityApiPaths.accountActivity, { before });
  return result.ok ? result.data : null;
}
