import type { UserRecord } from 'firebase-admin/auth';
import type { RolloutMode } from '@/lib/shared/config/public-env';
import type { Directory } from './directory';
import {
  allowsPasskeys,
  countsAsTwoFactors,
  getProviderAuthorization,
  getSecondFactorRules,
} from './provider-authorization';
import type { OrganizationRule } from './second-factor';

/** A sign-in method of an account, with its id and the user's email at the identity provider. */
export type AccountMethod = { id: string; email: string | null; subject?: string };

/**
 * Custom claim of an account whose email was changed. It contains the email that was proved to this app, because the
 * owner of the previous email can restore that email at the identity provider years later, and take over the account.
 */
export const PROVED_ADDRESS_CLAIM = 'proved_address';

/**
 * Custom claim of an account that a version before 2026-12 registered and that has not proved its mailbox since. No
 * version sets it any more. A sign-in by a provider makes the identity provider report the email as verified. The
 * account may still have methods that a third party registered and linked.
 */
export const UNPROVED_REGISTRATION_CLAIM = 'unproved_registration';

/**
 * Custom claim of an account whose sign-ins require a second factor. Its value is the time of activation, in seconds
 * since 1970 (docs/adr/0032).
 */
const SECOND_FACTOR_CLAIM = 'second_factor';

/** All facts about an account that decide who may sign in to it. Plain data, so that decisions stay pure functions. */
export type AccountFacts = {
  uid: string;
  email: string | null;
  /**
   * Whether the email is verified at the identity provider. Also requires a proof to this app if the account has
   * the claim `unproved_registration` or had another email before.
   */
  emailVerified: boolean;
  /** The identity provider's own flag. */
  verifiedAtProvider: boolean;
  /** Whether it had another email before, and the current email has no recorded proof to this app. */
  hadOtherEmail: boolean;
  /**
   * Whether it has proved its current email to this app. If it is unverified despite the proof, the identity provider
   * changed the email to another address and back.
   */
  hasProvedEmail: boolean;
  /**
   * Disabled by an operator, or because its email is not the proved email. The next read of the account restores the
   * proved email if it can.
   */
  disabled: boolean;
  /** Sign-ins before this time are revoked, in seconds since 1970. 0 if none were revoked. */
  validSince: number;
  methods: readonly AccountMethod[];
  /** Marked as a user of the previous system. */
  legacy: boolean;
  /** Whether an operator or an import has set custom claims on it. */
  hasClaims: boolean;
  /** Whether an organization or partner signs this account in with an email of its own domain. */
  managed: boolean;
  /** Whether an organization that manages it forbids passkeys. */
  requiresSso: boolean;
  hasSecondFactor: boolean;
  /** Providers of its managing organizations whose sign-in counts as two factors. */
  twoFactorProviders: readonly string[];
  /** The second-factor rules of its managing organizations. */
  secondFactorRules: readonly OrganizationRule[];
  /** The access level (`kk_user_access_level`). Some levels require a second factor. */
  accessLevel: string;
};

/**
 * An account as profile.ts reads it, with bounds. `exceedsBounds`: its name or picture at the identity provider is
 * longer.
 */
export type StoredAccount = Omit<UserRecord, 'toJSON'> & { exceedsBounds?: boolean };

/** A stored account with its facts. No other code reads the identity provider's own flags. */
export type Account = { user: StoredAccount; facts: AccountFacts };

/**
 * Collects the facts of an account for the account policy.
 * @param directory null before the first successful read, when no account counts as managed
 * @param firstEmail the first email of an account whose email was ever changed, or null
 */
export function toAccountFacts(
  user: StoredAccount,
  directory: Directory | null,
  firstEmail: string | null,
): AccountFacts {
  const email = user.email?.toLowerCase() ?? null;
  const proved = getProvedEmail(user);
  // Registrations are created under a domain without mailboxes (RFC 6761, section 6.4).
  const isFirst = firstEmail === null || firstEmail.toLowerCase() === email || firstEmail.endsWith('.invalid');
  const hadOtherEmail = proved === null && !isFirst;
  const methods = user.providerData.map(({ providerId: id, email: own, uid }) => ({
    id,
    email: toMethodEmail(own, uid),
    subject: uid,
  }));
  const managers = methods.filter(
    (method) => method.email === email && getProviderAuthorization(method.id, email, directory) === 'own-domain',
  );
  return {
    uid: user.uid,
    email,
    emailVerified: user.emailVerified && !hadOtherEmail && !isUnprovedRegistration(user),
    verifiedAtProvider: user.emailVerified,
    hadOtherEmail,
    hasProvedEmail: proved !== null && proved === email,
    disabled: user.disabled || (proved !== null && proved !== email),
    validSince: user.tokensValidAfterTime ? Date.parse(user.tokensValidAfterTime) / 1000 : 0,
    methods,
    legacy: getLegacyStatus(user.customClaims) === 'legacy',
    hasClaims: Object.keys(user.customClaims ?? {}).some((name) => name !== UNPROVED_REGISTRATION_CLAIM),
    managed: managers.length > 0,
    requiresSso: !managers.every(({ id }) => allowsPasskeys(id, email, directory)),
    hasSecondFactor: typeof user.customClaims?.[SECOND_FACTOR_CLAIM] === 'number',
    twoFactorProviders: managers.map(({ id }) => id).filter((id) => countsAsTwoFactors(id, email, directory)),
    secondFactorRules: managers.flatMap(({ id }) => getSecondFactorRules(id, email, directory)),
    accessLevel: getAccessLevel(user.customClaims),
  };
}

/**
 * Returns the email that was proved to this app, if the account's email was ever changed
 * (docs/account-policy.md#whose-an-email-is).
 * @returns in lower case, or null if no proof is recorded
 */
export function getProvedEmail({ customClaims }: Pick<UserRecord, 'customClaims'>): string | null {
  const proved: unknown = customClaims?.[PROVED_ADDRESS_CLAIM];
  return typeof proved === 'string' ? proved : null;
}

/** Whether the account has the claim and has not proved a mailbox since. */
function isUnprovedRegistration(user: Pick<UserRecord, 'customClaims'>): boolean {
  return user.customClaims?.[UNPROVED_REGISTRATION_CLAIM] === true && getProvedEmail(user) === null;
}

/** @param id the identity provider's id of the method, such as `password` or `google.com` */
export function hasMethod({ methods }: Pick<AccountFacts, 'methods'>, id: string): boolean {
  return methods.some((method) => method.id === id);
}

/** SAML providers often send the email only as the subject's NameID (SAML 2.0 core, section 8.3.2). */
function toMethodEmail(email: string | undefined, subject: string): string | null {
  return (email || (subject.includes('@') ? subject : null))?.toLowerCase() ?? null;
}

const DEFAULT_ACCESS_LEVEL = 'standard';

/** Returns the custom claim `accessLevel`. Returns `standard` if the claim is missing or not valid in a cookie. */
export function getAccessLevel(claims: Record<string, unknown> | undefined): string {
  const level = claims?.accessLevel;
  return typeof level === 'string' && /^[\w.-]{1,64}$/.test(level) ? level : DEFAULT_ACCESS_LEVEL;
}

/** Custom claim of users imported from the previous system (docs/product.md#states). */
export const LEGACY_CLAIM = 'legacy';

/** Values of the cookie `legacy-user-status` (docs/product.md#states). */
type LegacyStatus = 'legacy' | 'v3';

/** @param claims custom claims of the account; any value but `true` counts as unmarked */
export function getLegacyStatus(claims: Record<string, unknown> | undefined): LegacyStatus {
  return claims?.[LEGACY_CLAIM] === true ? 'legacy' : 'v3';
}

/** The step a legacy user must complete before a session is created, by rollout mode (docs/product.md#states). */
export const LEGACY_GATE = {
  V3Only: null,
  V3AndV2: null,
  V3FirstLogin: 'legacy-reset-required',
  V2FirstLogin: 'legacy-sign-in-required',
} as const satisfies Record<RolloutMode, string | null>;

/** The identity provider's limit for all custom claims of an account, in characters of JSON. */
const CLAIMS_MAX_LENGTH = 1_000;

type Claims = Record<string, unknown>;

/** A change of an account's custom claims. An operator's other claims stay. */
export type ClaimsEdit = {
  /** Removes the legacy mark, because the account now has a password of the new system. */
  dropsLegacy?: boolean;
  /** The email that was proved to this app. */
  proved?: string | undefined;
  /** Removes the claim of an unproved registration, because the mailbox was proved. `proved` implies it. */
  dropsUnproved?: boolean;
  /**
   * When sign-ins began to require a second factor, or null if they do not. The claim survives the loss of the
   * database.
   */
  secondFactorSince?: Date | null;
};

export function editClaims(
  claims: Claims | undefined,
  { dropsLegacy, proved, dropsUnproved, secondFactorSince }: ClaimsEdit,
): Claims {
  const edited: Claims = { ...claims };
  if (dropsLegacy) delete edited[LEGACY_CLAIM];
  if (proved !== undefined) edited[PROVED_ADDRESS_CLAIM] = proved.toLowerCase();
  if (proved !== undefined || dropsUnproved) delete edited[UNPROVED_REGISTRATION_CLAIM];
  if (secondFactorSince === null) delete edited[SECOND_FACTOR_CLAIM];
  else if (secondFactorSince) edited[SECOND_FACTOR_CLAIM] = Math.floor(secondFactorSince.getTime() / 1000);
  return edited;
}

/** Whether all edited claims, including an operator's, fit the identity provider's limit. */
export function isStorable(claims: Claims | undefined, edit: ClaimsEdit): boolean {
  return JSON.stringify(editClaims(claims, edit)).length <= CLAIMS_MAX_LENGTH;
}
