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

/** A sign-in method of an account: its id at the identity provider, and the email it has for the user. */
export type AccountMethod = { id: string; email: string | null; subject?: string };

/**
 * Custom claim of an account whose email was changed: the email that was proved to this app. The owner of the previous
 * email can restore it at the identity provider years later, and take over the account.
 */
export const PROVED_ADDRESS_CLAIM = 'proved_address';

/**
 * Custom claim of an account that a registration here has created and whose mailbox was not proved since. A sign-in by a provider makes the
 * identity provider call its email verified, and may leave there what a third party has registered it for and linked.
 */
export const UNPROVED_REGISTRATION_CLAIM = 'unproved_registration';

/** Custom claim of an account whose sign-ins take a second factor: since when, seconds since 1970 (docs/adr/0032). */
const SECOND_FACTOR_CLAIM = 'second_factor';

/** All facts about an account that decide who may sign in to it. Plain data, so that decisions stay pure functions. */
export type AccountFacts = {
  uid: string;
  email: string | null;
  /**
   * Verified at the identity provider, and not without a proof to this app where that counts for nothing: put there after another email, or
   * of an account that was registered here.
   */
  emailVerified: boolean;
  /** The identity provider's own flag. */
  verifiedAtProvider: boolean;
  /** It had another email before, and no proof of the present one to this app is recorded. */
  hadOtherEmail: boolean;
  /** Disabled by an operator, or because it has another email than the proved one: what reads an account restores that, where it can. */
  disabled: boolean;
  /** Sign-ins before this time are revoked, seconds since 1970; 0 when none were revoked. */
  validSince: number;
  methods: readonly AccountMethod[];
  /** Marked as a user of the previous system. */
  legacy: boolean;
  /** An operator or an import has set custom claims on it. */
  hasClaims: boolean;
  /** An organization or partner signs this account in with an email of one of its own domains. */
  managed: boolean;
  /** An organization that manages it does not let its users sign in with passkeys. */
  requiresSso: boolean;
  hasSecondFactor: boolean;
  /** Of the providers of organizations that manage it: those whose sign-in counts as two factors. */
  twoFactorProviders: readonly string[];
  /** What the organizations that manage it say about the second factor. */
  secondFactorRules: readonly OrganizationRule[];
  /** `kk_user_access_level`, for which a second factor may be required. */
  accessLevel: string;
};

export type StoredAccount = Omit<UserRecord, 'toJSON'>;

/** A stored account with its facts: no other code reads the identity provider's own flags. */
export type Account = { user: StoredAccount; facts: AccountFacts };

/**
 * Collects the facts of an account for the account policy.
 * @param directory null before the first successful read: then no account counts as managed
 * @param firstEmail the first email of an account that has or had another one; null if there was none
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
 * The email that was proved to this app, if the account has or had another one (docs/account-policy.md#whose-an-email-is).
 * @returns in lower case; null if no proof is recorded
 */
export function getProvedEmail({ customClaims }: Pick<UserRecord, 'customClaims'>): string | null {
  const proved: unknown = customClaims?.[PROVED_ADDRESS_CLAIM];
  return typeof proved === 'string' ? proved : null;
}

/** Whether it was registered here, and no mailbox of it was proved since. */
export function isUnprovedRegistration(user: Pick<UserRecord, 'customClaims'>): boolean {
  return user.customClaims?.[UNPROVED_REGISTRATION_CLAIM] === true && getProvedEmail(user) === null;
}

/** @param id by the identity provider, such as `password` or `google.com` */
export function hasMethod({ methods }: Pick<AccountFacts, 'methods'>, id: string): boolean {
  return methods.some((method) => method.id === id);
}

/** SAML providers often send the email only as the subject's NameID (SAML 2.0 core, section 8.3.2). */
function toMethodEmail(email: string | undefined, subject: string): string | null {
  return (email || (subject.includes('@') ? subject : null))?.toLowerCase() ?? null;
}

const DEFAULT_ACCESS_LEVEL = 'standard';

/** The account's access level: the custom claim `accessLevel`, else `standard`, also for a claim unfit for a cookie. */
export function getAccessLevel(claims: Record<string, unknown> | undefined): string {
  const level = claims?.accessLevel;
  return typeof level === 'string' && /^[\w.-]{1,64}$/.test(level) ? level : DEFAULT_ACCESS_LEVEL;
}

/** Custom claim of users imported from the previous system (docs/product.md#states). */
export const LEGACY_CLAIM = 'legacy';

/** Values of the cookie `legacy-user-status` (docs/product.md#states). */
type LegacyStatus = 'legacy' | 'v3';

/** @param claims custom claims of the account; any value but `true` counts as not marked */
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

/** Of all custom claims of an account, in characters of JSON; set by the identity provider. */
const CLAIMS_MAX_LENGTH = 1_000;

type Claims = Record<string, unknown>;

/** What this app changes about the custom claims of an account; an operator's other claims stay. */
export type ClaimsEdit = {
  /** Removes the legacy mark: a password of the new system is set. */
  dropsLegacy?: boolean;
  /** The email that was proved to this app. */
  proved?: string | undefined;
  /** Whether it is a registration whose mailbox was not proved; `proved` implies that it is not. */
  isUnproved?: boolean;
  /** Since when sign-ins take a second factor, which a lost database does not undo; null: they do not. */
  secondFactorSince?: Date | null;
};

export function editClaims(
  claims: Claims | undefined,
  { dropsLegacy, proved, isUnproved, secondFactorSince }: ClaimsEdit,
): Claims {
  const edited: Claims = { ...claims };
  if (dropsLegacy) delete edited[LEGACY_CLAIM];
  if (proved !== undefined) edited[PROVED_ADDRESS_CLAIM] = proved.toLowerCase();
  if (proved !== undefined || isUnproved === false) delete edited[UNPROVED_REGISTRATION_CLAIM];
  else if (isUnproved) edited[UNPROVED_REGISTRATION_CLAIM] = true;
  if (secondFactorSince === null) delete edited[SECOND_FACTOR_CLAIM];
  else if (secondFactorSince) edited[SECOND_FACTOR_CLAIM] = Math.floor(secondFactorSince.getTime() / 1000);
  return edited;
}

/** Whether the edited claims, those of operators included, are within the identity provider's limit. */
export function isStorable(claims: Claims | undefined, edit: ClaimsEdit): boolean {
  return JSON.stringify(editClaims(claims, edit)).length <= CLAIMS_MAX_LENGTH;
}
