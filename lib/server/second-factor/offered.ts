import { ApiProblem } from '@/lib/shared/problem';
import { isSecondFactorOffered } from './keys';

/** @throws ApiProblem `not-found` where accounts have no second factor */
export function requireOffered(): void {
  if (!isSecondFactorOffered()) throw new ApiProblem('not-found');
}
