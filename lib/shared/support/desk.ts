/** The page and the calls of the support desk. They are not in `paths`, because learners' pages would load them. */
export const SUPPORT_PAGE = '/support';
export const supportPaths = { accounts: '/api/admin/accounts', actions: '/api/admin/accounts/actions' } as const;

/** What an operator can do with an account (docs/support/index.md). */
export const ACCOUNT_ACTIONS = [
  'resend-confirmation',
  'send-reset',
  'sign-out',
  'disable',
  'enable',
  'unlock',
  'cancel-deletion',
  'second-factor-off',
  'delete',
  'export',
] as const;
export type AccountAction = (typeof ACCOUNT_ACTIONS)[number];

/** Length and characters of a reason. The owner of the account reads it, so it is text of one line. */
export const REASON = { min: 3, max: 200, line: /^[^\p{Cc}\p{Cf}\u2028\u2029]*$/u } as const;

/** What a look-up names. */
export const LOOK_UP_KEYS = ['email', 'uid', 'supportCode', 'requestId'] as const;
export type LookUpKey = (typeof LOOK_UP_KEYS)[number];

type Client = { method: string | null; browser: string | null; system: string | null };

/** An attempt to send an email. */
export type SentEmail = { messageId: string; kind: string; at: string; result: string; answer: string };

/** Everything that support may see about an account. Each time is RFC 3339. */
export type SupportAccount = {
  uid: string;
  email: string | null;
  /** The email that was proved to this app. */
  provedEmail: string | null;
  /** The email that can reset its password. */
  recoveryEmail: string | null;
  createdAt: string | null;
  lastSignInAt: string | null;
  /** `rule`: the stable name of the sentence. */
  state: { rule: string; text: string }[];
  /** What the operator who looks can do with it now. */
  actions: AccountAction[];
  signInMethods: { method: string; email: string | null }[];
  passkeys: { name: string | null; createdAt: string; lastUsedAt: string | null; suspectAt: string | null }[];
  secondFactor: {
    since: string | null;
    apps: { createdAt: string; lastUsedAt: string | null }[];
    recoveryCodesLeft: number;
  };
  sessions: (Client & {
    openedAt: string;
    lastSeenAt: string;
    expiresAt: string;
    endedAt: string | null;
    endedBy: string | null;
  })[];
  events: (Client & {
    kind: string;
    at: string;
    rule: string | null;
    network: string | null;
    operator: string | null;
    requestId: string | null;
    supportCode: string | null;
  })[];
  emails: SentEmail[];
};

/** `emails`: if no account has the email that was looked up, what was sent to it. */
export type LookedUp = { accounts: SupportAccount[]; emails: SentEmail[] };

/** Proof of a deletion, for the person whose account it was. */
export type Receipt = { uid: string; deletedAt: string; deleted: string[]; emailed: boolean };

/** What was done. `receipt`: of `delete`. `data`: of `export`. */
export type ActionDone = {
  action: AccountAction;
  uid: string;
  at: string;
  receipt?: Receipt;
  data?: { createdAt: string; account: Record<string, unknown>; records: Record<string, unknown[]> };
};
