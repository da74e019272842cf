import type { AccountAction } from '@/lib/shared/support/desk';

type Texts = {
  /** Of the choice and of the button. */
  label: string;
  effect: string;
  done: string;
  /** Whether it changes the account, so that it is confirmed first. */
  changes: boolean;
};

/** The words of each action. This page is in English only (docs/support/index.md). */
export const ACTION_TEXTS: Readonly<Record<AccountAction, Texts>> = {
  'resend-confirmation': {
    label: 'Send the confirmation',
    effect: 'Emails a link that confirms the email together with a new password.',
    done: 'The confirmation is on its way to the owner.',
    changes: false,
  },
  'send-reset': {
    label: 'Send a password reset',
    effect: 'Emails a link that sets a new password.',
    done: 'The password reset is on its way to the owner.',
    changes: false,
  },
  'sign-out': {
    label: 'Sign out everywhere',
    effect: 'Ends all sessions at once. The owner gets an email.',
    done: 'All sessions have ended.',
    changes: true,
  },
  disable: {
    label: 'Disable the account',
    effect: 'Refuses every sign-in and session until you enable the account. The owner gets an email.',
    done: 'The account is disabled.',
    changes: true,
  },
  enable: {
    label: 'Enable the account',
    effect: 'Allows sign-ins and sessions again, also sessions from before. The owner gets an email.',
    done: 'The account is enabled.',
    changes: true,
  },
  unlock: {
    label: 'Unlock the codes',
    effect: 'Accepts codes of authenticator apps again. The owner gets an email.',
    done: 'Codes of authenticator apps are accepted again.',
    changes: true,
  },
  'cancel-deletion': {
    label: 'Cancel the deletion',
    effect: 'Keeps an account whose deletion is scheduled. The owner gets an email.',
    done: 'The account is kept.',
    changes: true,
  },
  'second-factor-off': {
    label: 'Turn off two-step verification',
    effect: 'Removes authenticator apps and recovery codes, and ends all sessions. The owner gets an email.',
    done: 'Two-step verification is off.',
    changes: true,
  },
  delete: {
    label: 'Delete the account',
    effect: "Deletes the account with its records at once. This can't be undone. The owner gets a last email.",
    done: 'The account is deleted.',
    changes: true,
  },
  export: {
    label: 'Export the data',
    effect: 'Makes a file with what “Download my data” contains, for you to give to the owner.',
    done: 'The data is ready.',
    changes: false,
  },
};
