import type { AccountFacts } from './account';

/**
 * When each credential ends: with its session, or with a revocation of the account's sign-ins. The table covers
 * everything by which a browser or a reader of a mailbox can continue later. docs/account-policy.md explains each
 * credential that stays.
 */

/**
 * `session`: the session that issued the credential ended. `revocation`: see `CredentialFacts.issuedAt`. `email`: the
 * account's email changed after the issue.
 */
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
  'sign-in-code': { endsBy: ['revocation', 'email', 'disabled'] },
  'sign-in-link': { endsBy: ['revocation', 'email', 'disabled'] },
  'code-for-a-factor-reset': { endsBy: ['revocation', 'email', 'disabled'] },
  /** After a revocation, this link only emails a new link. */
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
  /** The session that issued the credential. Null if no session did. */
  session: 'live' | 'ended' | null;
  /** When the user gave the proof behind the credential, or when it was emailed, in seconds since 1970. */
  issuedAt: number;
  /** The account's email at that time. Null if unknown. */
  email: string | null;
  /** Null if the account is deleted. */
  account: Pick<AccountFacts, 'email' | 'disabled' | 'validSince'> | null;
};

/** Returns why a credential has ended, or null if it is still valid. */
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
    // Times are in whole seconds. If an email has the same second as the revocation, the order is unknown, so its link
    // ends. A sign-in is never older than its time states.
    revocation: isEmailed(credential) ? issuedAt <= account.validSince : issuedAt < account.validSince,
  };
  return ends.find((end) => isEnded[end]) ?? null;
}

function isEmailed(credential: Credential): boolean {
  return (
    credential === 'sign-in-code' ||
    credential === 'sign-in-link' ||
    credential === 'disavowal-link' ||
    credential === 'code-for-a-factor-reset'
  );
}
