import type { SecondFactorRule } from '@/lib/shared/config/app-config';
import { formatRule, NOT_OFFERED } from '../explanation/words';
import type { Finding } from './types';

const what = 'second factor';

/** @param rules of all origins and organizations */
export function judgeSecondFactor(isOffered: boolean, rules: readonly SecondFactorRule[]): Finding {
  const required = rules.filter(({ use }) => use === 'required').map(formatRule);
  if (required.length === 0)
    return isOffered
      ? { what, state: 'works', detail: 'offered, and required of no account', action: null }
      : { what, state: 'not configured', detail: 'it needs a database and SECOND_FACTOR_SECRET', action: null };
  const detail = [...new Set(required)].join('; ');
  if (isOffered) return { what, state: 'works', detail, action: null };
  return { what, state: 'does not work', detail: NOT_OFFERED, action: 'Set SECOND_FACTOR_SECRET and DATABASE_URL' };
}
