import type { SecondFactorRule } from '@/lib/shared/config/app-config';
import { formatRule, NOT_OFFERED } from '../explanation/words';
import { works, fails, notConfigured, type Finding } from './types';

const what = 'second factor';

/** @param rules of all origins and organizations */
export function judgeSecondFactor(isOffered: boolean, rules: readonly SecondFactorRule[]): Finding {
  const required = rules.filter(({ use }) => use === 'required').map(formatRule);
  if (required.length === 0)
    return isOffered
      ? works(what, 'offered, and required of no account')
      : notConfigured(what, 'it needs a database and SECOND_FACTOR_SECRET');
  const detail = [...new Set(required)].join('; ');
  if (isOffered) return works(what, detail);
  return fails(what, NOT_OFFERED, 'Set SECOND_FACTOR_SECRET and DATABASE_URL');
}
