import Router from 'next/router';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { paths } from '@/lib/shared/paths';
import { goOn, goToCallback } from '../callback';
import { isSetUpPutOff } from '../second-factor/offer';
import type { OpenedSession } from '../session/api';
import { isCapable } from './means';
import { signalPasskeys } from './signals';
import { abortAfter, timeLimit } from '@/lib/shared/time-limit';

/**
 * How long a sign-in waits for the browser, in milliseconds. A browser that does nothing must not delay the learner.
 */
const UPGRADE_TIMEOUT_MS = 2_500;
/** How long it waits in total, including for a slow network. */
const TOTAL_TIMEOUT_MS = 3_500;

/**
 * Continues after a sign-in without a passkey. It sends the account's passkeys to password managers. If a passkey is
 * offered, the browser creates it automatically if it can (WebAuthn Level 3, conditional create), or the learner is
 * asked. Then it redirects. A scheduled deletion comes first, then an announced second factor, and the learner sees at
 * most one page.
 * @param isLate whether the sign-in has continued without waiting any longer
 * @param isOffered whether a passkey is offered: after a password sign-in, once per device
 */
export async function tellAndGo(
  env: PublicEnv,
  isOffered: boolean,
  { signal, secondFactorFrom, deletionAt }: OpenedSession,
  isLate: () => boolean,
): Promise<void> {
  if (signal) await signalPasskeys(signal);
  if (isLate()) return;
  if (deletionAt !== undefined) return goOn(env, { deletionAt });
  // Load a new document, whose policy allows the sign-in helper.
  if (secondFactorFrom !== undefined && !isSetUpPutOff()) return window.location.assign(paths.setUpSecondFactor);
  if (!isOffered) return goToCallback(env);
  const outcome = (await isCapable('conditionalCreate')) ? await createByItself() : 'offer';
  if (isLate()) return;
  if (outcome === 'offer') await Router.push(paths.addPasskey);
  else goToCallback(env);
}

async function createByItself(): Promise<'done' | 'offer'> {
  const isOver = abortAfter(UPGRADE_TIMEOUT_MS);
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), timeLimit(TOTAL_TIMEOUT_MS)));
  const create = async () => (await import('./create')).createPasskey('upgrade', undefined, isOver);
  const result = await Promise.race([create(), late]);
  if (result === null || 'passkey' in result) return 'done';
  // Offer a passkey only if the browser did not create one although it could have.
  return result.failure === 'cancelled' || result.failure === 'unsupported' ? 'offer' : 'done';
}
