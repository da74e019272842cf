import type { Env } from '@/lib/server/runtime';
import { buildRelatedOrigins } from '@/lib/server/passkeys';
import { getRelyingParty } from '@/lib/server/http';
import { works, fails, type Finding } from './types';

const what = 'passkeys';
/** Number of domains of related origins that every browser reads (WebAuthn Level 3, section 5.11.1). */
const MAX_RELATED = 5;
const READ_MORE = 'docs/deploy/passkeys.md';

/** @param stored RP IDs of the stored passkeys, or null if they cannot be read */
export function judgePasskeys(config: Env, stored: readonly string[] | null): Finding {
  const rp = getRelyingParty(config);
  if (rp === null) return { what, state: 'not configured', ...explainAbsence(config) };
  const own = `RP ID ${rp.id}, on ${rp.origins.join(', ')}`;
  const others = stored?.filter((id) => id !== rp.id) ?? [];
  if (others.length > 0) {
    const detail = `${own}; there are passkeys of ${others.join(', ')}, so no process starts`;
    return fails(what, detail, `Set PASSKEY_RP_ID back, or delete them: ${READ_MORE}`);
  }
  const detail = stored === null ? `${own}; the RP IDs of stored passkeys could not be read` : own;
  const related = buildRelatedOrigins(config)?.origins ?? [];
  const action =
    related.length > MAX_RELATED
      ? `${String(related.length)} origins are outside of the RP ID, and browsers may read only ${String(MAX_RELATED)} domains: ${READ_MORE}`
      : null;
  return works(what, detail, action);
}

function explainAbsence(config: Env): Pick<Finding, 'detail' | 'action'> {
  if (config.PASSKEY_RP_ID === 'off') return { detail: 'PASSKEY_RP_ID is off', action: null };
  if (config.SESSION_BACKEND === 'upstream') return { detail: 'another deployment has the sessions', action: null };
  const action = 'Serve the app under a domain name';
  return { detail: 'the host of NEXT_PUBLIC_APP_ORIGIN is an IP address, which cannot be an RP ID', action };
}
