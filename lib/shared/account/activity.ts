/** Security events of an account that /security shows. */
export const EVENT_KINDS = [
  'registered',
  'signed-in',
  'sign-in-unfinished',
  'signed-out',
  'signed-out-everywhere',
  'device-signed-out',
  'other-devices-signed-out',
  'sign-in-disavowed',
  'password-changed',
  'password-reset',
  'name-changed',
  'email-verified',
  'email-change-requested',
  'email-change-cancelled',
  'email-changed',
  'email-restored',
  'recovery-email-requested',
  'recovery-email-added',
  'recovery-email-removed',
  'method-connected',
  'method-disconnected',
  'passkey-added',
  'passkey-removed',
  'passkey-suspect',
  'second-factor-on',
  'second-factor-off',
  'factor-app-added',
  'factor-app-removed',
  'recovery-code-used',
  'recovery-codes-replaced',
  'factor-locked',
  'factor-reset-requested',
  'factor-reset-cancelled',
  'factor-reset-done',
  'data-downloaded',
  'deletion-requested',
  'deletion-cancelled',
  'account-disabled',
  'account-enabled',
  'factor-unlocked',
  'support-emailed',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export type ActivityEvent = {
  /** Also the cursor of the next page. */
  id: string;
  kind: EventKind;
  /** RFC 3339. */
  at: string;
  /** Such as `Chrome`. Null if unknown. */
  browser: string | null;
  /** Such as `Android`. Null if unknown. */
  system: string | null;
  /** The sign-in method that the event is about, by the identity provider's id. */
  method: string | null;
  /** An operator of the support desk did it. */
  bySupport: boolean;
};

/** A page of an account's events, newest first. `more`: whether there are older events. */
export type Activity = { events: ActivityEvent[]; more: boolean };
