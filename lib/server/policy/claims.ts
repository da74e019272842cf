import { PROVED_ADDRESS_CLAIM, SECOND_FACTOR_CLAIM } from './account';
import { LEGACY_CLAIM } from './legacy';

/** Of all custom claims of an account, in characters of JSON; set by the identity provider. */
const CLAIMS_MAX_LENGTH = 1_000;

type Claims = Record<string, unknown>;

/** What this app changes about the custom claims of an account; an operator's other claims stay. */
export type ClaimsEdit = {
  /** Removes the legacy mark: a password of the new system is set. */
  dropsLegacy?: boolean;
  /** The email that was proved to this app. */
  proved?: string | undefined;
  /** Since when sign-ins take a second factor, which a lost database does not undo; null: they do not. */
  secondFactorSince?: Date | null;
};

export function editClaims(claims: Claims | undefined, { dropsLegacy, proved, secondFactorSince }: ClaimsEdit): Claims {
  const edited: Claims = { ...claims };
  if (dropsLegacy) delete edited[LEGACY_CLAIM];
  if (proved !== undefined) edited[PROVED_ADDRESS_CLAIM] = proved.toLowerCase();
  if (secondFactorSince === null) delete edited[SECOND_FACTOR_CLAIM];
  else if (secondFactorSince) edited[SECOND_FACTOR_CLAIM] = Math.floor(secondFactorSince.getTime() / 1000);
  return edited;
}

/** Whether claims, those of operators included, are within the identity provider's limit. */
export function isStorable(claims: Claims): boolean {
  return JSON.stringify(claims).length <= CLAIMS_MAX_LENGTH;
}
