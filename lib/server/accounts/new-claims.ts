import { PROVED_ADDRESS_CLAIM, type StoredAccount } from '../account-policy/account';
import { LEGACY_CLAIM } from '../account-policy/legacy';

/** Of all custom claims of an account, in characters of JSON; set by the identity provider. */
const CLAIMS_MAX_LENGTH = 1_000;

/** The claims without the legacy mark once a password is set, and with the proved email; undefined when unchanged. */
export function getNewClaims(
  { customClaims = {} }: StoredAccount,
  { setsPassword, proved }: { setsPassword: boolean; proved?: string | undefined },
): Record<string, unknown> | undefined {
  const dropsMark = setsPassword && LEGACY_CLAIM in customClaims;
  const address = proved?.toLowerCase();
  const isKnown = address === undefined || customClaims[PROVED_ADDRESS_CLAIM] === address;
  if (!dropsMark && isKnown) return undefined;
  const kept = Object.entries(customClaims).filter(([name]) => !(dropsMark && name === LEGACY_CLAIM));
  return { ...Object.fromEntries(kept), ...(address !== undefined && { [PROVED_ADDRESS_CLAIM]: address }) };
}

/** Whether claims, those of operators included, are within the identity provider's limit. */
export function isStorable(claims: Record<string, unknown> | undefined): boolean {
  return JSON.stringify(claims ?? {}).length <= CLAIMS_MAX_LENGTH;
}
