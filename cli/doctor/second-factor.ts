import type { SecondFactorRule } from '@/lib/shared/config/app-config';
import { formatRule, NOT_OFFERED } from '../explanation/words';
import { works, fails, notConfigured, type Finding } from './types';

const what = 'second factor';

/**
 * @param rules rules of all origins and organizations
 * @param unopened ids of secrets that sealed keys of apps and are not configured, or null if they cannot be read
 */
export function judgeSecondFactor(
  isOffered: boolean,
  rules: readonly SecondFactorRule[],
  unopened: readonly string[] | null,
): Finding {
  if (unopened !== null && unopened.length > 0) {
    const detail = `SECOND_FACTOR_SECRET opens no key ${unopened.join(', ')} of authenticator apps, so no process starts`;
    return fails(what, detail, 'Add the secret that sealed them to the list: docs/deploy/second-factor.md');
  }
  const unread = unopened === null ? '; stored apps could not be read, so the secret was not compared with them' : '';
  const required = rules.filter(({ use }) => use === 'required').map(formatRule);
  if (required.length === 0)
    return isOffered
      ? works(what, `offered, and required of no account${unread}`)
      : notConfigured(what, 'it needs SECOND_FACTOR_SECRET');
  const detail = [...new Set(required)].join('; ');
  if (isOffered) return works(what, `${detail}${unread}`);
  return fails(what, NOT_OFFERED, 'Set SECOND_FACTOR_SECRET');
}
