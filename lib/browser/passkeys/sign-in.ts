import Router from 'next/router';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { paths } from '@/lib/shared/paths';
import { broadcastOwnSignIn } from '../auth/sign-in/broadcast-sign-in';
import { claimCallback, goOn } from '../callback';
import { areCookiesEnabled } from '../cookies';
import { takeOptions } from './autofill';
import { getAssertion, readAssertion } from './credential';
import { toDialogFailure, toPasskeyFailure, type PasskeyFailure } from './failure';
import { isCapable, takeOffer } from './means';
import { requestSignInOptions, signInByAssertion, type Assertion, type RequestOptions } from './sign-in-api';
import { signalPasskeys, signalUnknownPasskey } from './signals';

/**
 * Signs in with the response of an authenticator, and redirects.
 * @returns null when the redirect is in progress
 */
export async function finishPasskeySignIn(env: PublicEnv, assertion: Assertion): Promise<PasskeyFailure | null> {
  // Without cookies the next page has no session, and the learner would be redirected in a loop.
  if (!areCookiesEnabled(env.mainDomain)) return 'cookies-off';
  claimCallback(env);
  const result = await signInByAssertion(assertion);
  if (!result.ok) {
    // The passkey was created without user verification, so a code is needed, here or on the next page.
    if (result.code === 'second-factor-required' && window.location.pathname === paths.secondFactor) return result.code;
    if (result.status === 403) {
      const { goToLegacySignIn, goToSecondFactor } = await import('../auth/sign-in/required-step');
      if (result.code === 'legacy-sign-in-required' && goToLegacySignIn(env)) return null;
      if (await goToSecondFactor(env, PASSKEY_METHOD, result.code)) return null;
    }
    // Only a response of the server proves that it does not know the passkey.
    if (result.code === 'passkey-unknown') await signalUnknownPasskey(assertion.rpId, assertion.response.id);
    return toPasskeyFailure(result);
  }
  const { uid, signal, deletionAt } = result.data;
  const user = { uid, email: signal?.name ?? null, displayName: signal?.displayName ?? null };
  broadcastOwnSignIn(user, PASSKEY_METHOD);
  await signalPasskeys(signal);
  // The passkey is on another device, such as a phone that scanned a QR code, so offer a passkey on this device.
  const isElsewhere = assertion.response.authenticatorAttachment === 'cross-platform';
  if (deletionAt === undefined && isElsewhere && (await takeOffer())) {
    await Router.push(paths.addPasskey);
    return null;
  }
  goOn(env, result.data);
  return null;
}

/**
 * Signs in with the passkey that was chosen in the autofill, and redirects.
 * @returns null when the redirect is in progress
 */
export async function signInByAutofill(
  env: PublicEnv,
  { options, challenge }: RequestOptions,
  chosen: Credential,
): Promise<PasskeyFailure | null> {
  try {
    return await finishPasskeySignIn(env, { challenge, response: readAssertion(chosen), rpId: options.rpId ?? '' });
  } catch (error) {
    reportError(error, { during: 'sign-in with a passkey' });
    return 'unknown';
  }
}

/**
 * Opens the browser's dialog for passkeys, and signs in with the chosen passkey.
 * @param reach `here`: only passkeys of this device if the browser can limit it, with a single tap or `none-here`;
 *   `anywhere`: also a phone or a security key
 * @returns null when the redirect is in progress
 */
export async function signInWithPasskey(env: PublicEnv, reach: 'here' | 'anywhere'): Promise<PasskeyFailure | null> {
  const kept = takeOptions();
  const begun = kept === null ? await requestSignInOptions() : { ok: true as const, data: kept };
  if (!begun.ok) return toPasskeyFailure(begun);
  const { options, challenge } = begun.data;
  const isImmediate = reach === 'here' && (await isCapable('immediateGet'));
  const openedAt = performance.now();
  try {
    const response = await getAssertion(options, isImmediate ? { uiMode: 'immediate' } : {});
    return await finishPasskeySignIn(env, { challenge, response, rpId: options.rpId ?? '' });
  } catch (error) {
    const failure = toDialogFailure(error, performance.now() - openedAt);
    if (failure === 'unknown') reportError(error, { during: 'sign-in with a passkey' });
    return isImmediate && failure === 'cancelled' ? 'none-here' : failure;
  }
}
