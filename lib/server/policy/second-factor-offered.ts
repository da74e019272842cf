import { ApiProblem } from '@/lib/shared/problem';
import { env } from '@/lib/server/runtime';
import { chooseRecords } from '@/lib/server/storage';

/** Whether accounts of this deployment can have a second factor: it keeps records, and has a secret to seal keys with. */
export function isSecondFactorOffered(config = env()): boolean {
  const { SECOND_FACTOR_SECRET, SESSION_BACKEND } = config;
  return SECOND_FACTOR_SECRET.length > 0 && SESSION_BACKEND === 'firebase' && chooseRecords(config).kind !== 'none';
}

/** @throws ApiProblem `not-found` where accounts have no second factor */
export function requireOffered(): void {
  if (!isSecondFactorOffered()) throw new ApiProblem('not-found');
}
