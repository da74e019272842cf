import type { ActionMode } from '@/lib/account/email-action';
import { resolveCallback } from '@/lib/callback/rules';
import { publicEnv } from '@/lib/config/env';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { actionQuery, paths } from '@/lib/paths';
import { identityAdmin } from '../session';
import { askProvider } from '../session/provider-errors';

/** Where a letter's link leads: the page that asked for it, and from there to the learner's callback. */
export type LinkSetting = {
  origin: string;
  /** The address kept in `callbackUrl`, as it came; it passes the callback rules here. */
  callback: string | undefined;
};

/**
 * A link to our own `/actions` with a code of the identity provider's.
 * @throws ApiProblem 503
 */
export async function actionLink(mode: ActionMode, email: string, setting: LinkSetting): Promise<string> {
  const made = await askProvider(providerLink(mode, email, setting.origin));
  const link = new URL(paths.actions, setting.origin);
  link.searchParams.set(actionQuery.mode, mode);
  link.searchParams.set(actionQuery.code, new URL(made).searchParams.get(actionQuery.code) ?? '');
  if (setting.callback !== undefined)
    link.searchParams.set(actionQuery.continueUrl, resolveCallback(setting.callback, callbackPolicyOf(publicEnv())));
  return link.href;
}

function providerLink(mode: ActionMode, email: string, origin: string): Promise<string> {
  const admin = identityAdmin();
  switch (mode) {
    case 'verifyEmail':
      return admin.generateEmailVerificationLink(email);
    case 'resetPassword':
      return admin.generatePasswordResetLink(email);
    case 'signIn':
      return admin.generateSignInWithEmailLink(email, { url: origin, handleCodeInApp: true });
  }
}
