import type { UserRecord } from 'firebase-admin/auth';
import { getLegacyStatus } from './legacy';
import type { Directory } from '../directory/file';
import { getProviderAuthorization } from './provider-authorization';

/** A sign-in method of an account: its id at the identity provider, and the email it has for the user. */
export type AccountMethod = { id: string; email: string | null };

/**
 * Custom claim of an account whose email was changed: the email that was verified here. The owner of the previous email
 * can restore it at the identity provider years later, and take over the account.
 */
export const PROVED_ADDRESS_CLAIM = 'proved_address';

/** All facts about an account that decide who may sign in to it. Plain data, so that decisions stay pure functions. */
export type AccountFacts = {
  uid: string;
  email: string | null;
  emailVerified: boolean;
  /** Disabled by an operator, or because a previous email was restored on the account. */
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
};

/** @param directory null before the first successful read: then no account counts as managed */
export function toAccountFacts(user: UserRecord, directory: Directory | null): AccountFacts {
  const email = user.email?.toLowerCase() ?? null;
  const methods = user.providerData.map(({ providerId: id, email: own, uid }) => ({
    id,
    email: toMethodEmail(own, uid),
  }));
  return {
    uid: user.uid,
    email,
    emailVerified: user.emailVerified,
    disabled: user.disabled || isTakenBack(user),
    validSince: user.tokensValidAfterTime ? Date.parse(user.tokensValidAfterTime) / 1000 : 0,
    methods,
    legacy: getLegacyStatus(user.customClaims) === 'legacy',
    hasClaims: Object.keys(user.customClaims ?? {}).length > 0,
    managed: methods.some(
      (method) => method.email === email && getProviderAuthorization(method.id, email, directory) === 'own-domain',
    ),
  };
}

function isTakenBack({ email, customClaims }: UserRecord): boolean {
  const proved: unknown = customClaims?.[PROVED_ADDRESS_CLAIM];
  return proved !== undefined && proved !== email?.toLowerCase();
}

export function hasMethod({ methods }: Pick<AccountFacts, 'methods'>, id: string): boolean {
  return methods.some((method) => method.id === id);
}

/** SAML providers often send the email only as the subject's NameID (SAML 2.0 core, section 8.3.2). */
function toMethodEmail(email: string | undefined, subject: string): string | null {
  return (email || (subject.includes('@') ? subject : null))?.toLowerCase() ?? null;
}
