import Router from 'next/router';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { paths } from '@/lib/shared/paths';
import { goOn, goToCallback } from '../callback';
import { isSetUpPutOff } from '../second-factor/offer';
import type { OpenedSession } from '../session/api';
import { isCapable } from './means';
import { signalPasskeys } from './signals';
import { abortAfter, timeLimit } from '@/lib/shared/time-limit';

/** How long a sign-in waits for the browser, in milliseconds. One that does nothing must not hold the learner up. */
const UPGRADE_TIMEOUT_MS = 2_500;
/** How long it waits in all: for a slow network as well. */
const TOTAL_TIMEOUT_MS = 3_500;

/**
 * After a sign-in without a passkey: password managers learn which ones the account has. Where one is offered, the browser creates it by
 * itself, if it can (WebAuthn Level 3, conditional create), or the learner is asked. Then redirects.
 * A scheduled deletion, and then an announced second factor, come first: there is one page at most.
 * @param isLate the sign-in has gone on without waiting for this any longer
 * @param isOffered a passkey: after a sign-in with a password, once per device
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
  // A document of its own: its policy lets it load the sign-in helper.
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
  // Only a browser that could have, and did not, leaves something to offer.
  return result.failure === 'cancelled' || result.failure === 'unsupported' ? 'offer' : 'done';
}
