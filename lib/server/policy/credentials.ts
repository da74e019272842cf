import type { AccountFacts } from './account';

/**
 * What ends with a session, and what ends when the sign-ins of an account are revoked: everything by which a browser, or a reader of a mailbox,
 * goes on later. docs/account-policy.md documents it as a table, and says why each stays that stays.
 */

/** `session`: the session that it came from. `revocation`: see `CredentialFacts.issuedAt`. `email`: the account has another email than at its issue. */
type End = 'session' | 'revocation' | 'email' | 'disabled';

export const CREDENTIALS = {
  'session-cookie': { endsBy: ['session', 'revocation', 'email', 'disabled'] },
  renewal: { endsBy: ['session', 'revocation', 'email', 'disabled'] },
  'custom-token': { endsBy: ['session', 'revocation', 'email', 'disabled'] },
  'mobile-code': { endsBy: ['session', 'revocation', 'email', 'disabled'] },
  'openid-grant': { endsBy: ['session', 'revocation', 'email', 'disabled'] },
  'answer-to-a-question': { endsBy: ['session', 'revocation', 'email', 'disabled'] },
  'remembered-browser': { endsBy: ['session', 'revocation', 'email', 'disabled'] },
  'waiting-sign-in': { endsBy: ['revocation', 'email', 'disabled'] },
  'sign-in-link': { endsBy: ['revocation', 'email', 'disabled'] },
  'code-for-a-factor-reset': { endsBy: ['revocation', 'email', 'disabled'] },
  /** It then has another one emailed. */
  'disavowal-link': { endsBy: ['revocation'] },
  'disavowal-link-again': { endsBy: [] },
  'reset-code': { endsBy: ['disabled'] },
  'reset-link': { endsBy: ['disabled'] },
  'confirmation-code': { endsBy: ['email', 'disabled'] },
  'confirmation-link': { endsBy: ['email', 'disabled'] },
  'link-that-keeps-the-account': { endsBy: [] },
  'link-that-keeps-the-factor': { endsBy: [] },
  'device-cookie': { endsBy: [] },
} as const satisfies Record<string, { endsBy: readonly End[] }>;
export type Credential = keyof typeof CREDENTIALS;

export type CredentialFacts = {
  credential: Credential;
  /** The session that it came from; null for one that came from none. */
  session: 'live' | 'ended' | null;
  /** When its user gave the proof that it stands for, or it was emailed; seconds since 1970. */
  issuedAt: number;
  /** The account's email at that time; null when that is not known. */
  email: string | null;
  /** Null: it is deleted. */
  account: Pick<AccountFacts, 'email' | 'disabled' | 'validSince'> | null;
};

/** Why a credential is over; null while it is not. */
export function getCredentialEnd({
  credential,
  session,
  issuedAt,
  email,
  account,
}: CredentialFacts): End | 'deleted' | null {
  if (account === null) return 'deleted';
  const ends: readonly End[] = CREDENTIALS[credential].endsBy;
  const isEnded: Record<End, boolean> = {
    session: session === 'ended',
    disabled: account.disabled,
    email: email !== null && account.email !== email,
    // In whole seconds. Of an email in the same second it is not known which came first; a sign-in cannot be older than it says.
    revocation: isEmailed(credential) ? issuedAt <= account.validSince : issuedAt < account.validSince,
  };
  return ends.find((end) => isEnded[end]) ?? null;
}

function isEmailed(credential: Credential): boolean {
  return credential === 'sign-in-link' || credential === 'disavowal-link' || credential === 'code-for-a-factor-reset';
}
