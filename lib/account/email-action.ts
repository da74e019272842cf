/** What links in mails are for (specification, section 4). */
export const ACTION_MODES = ['resetPassword', 'verifyEmail', 'signIn'] as const;
export type ActionMode = (typeof ACTION_MODES)[number];

/** A link that was opened: its mode, and the identity provider's code. */
export type EmailAction = { mode: ActionMode; code: string };

export function isActionMode(value: unknown): value is ActionMode {
  return ACTION_MODES.some((mode) => mode === value);
}
