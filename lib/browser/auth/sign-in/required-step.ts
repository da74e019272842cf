import type { User } from 'firebase/auth';
import Router from 'next/router';
import { writeCookie } from '@/lib/browser/cookies';
import { requestConfirmation } from '@/lib/browser/session/api';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { paths, pathWithFlow } from '@/lib/shared/paths';
import { keepMethodToConfirm } from './method-to-confirm';
import { goToSecondFactor } from './second-factor-step';

/** @returns whether the user is being redirected to a required step */
export async function redirectToRequiredStep(
  env: PublicEnv,
  user: User,
  method: string,
  code: string,
): Promise<boolean> {
  switch (code) {
    case 'email-not-verified': {
      const answer = await requestConfirmation(await user.getIdToken());
      if (!answer.ok) return false;
      keepMethodToConfirm(user.email ?? '', method);
      window.location.assign(pathWithFlow(paths.registrationConfirm, answer.data.flow));
      return true;
    }
    case 'legacy-reset-required':
      writeCookie('legacyUserStatus', 'legacy', env.mainDomain);
      // In-app: without storage, the user signed in at the identity provider is known only to this document.
      await Router.push(paths.firstLoginReset);
      return true;
    case 'legacy-sign-in-required':
      if (env.legacySignInUrl === null) return false;
      writeCookie('legacyUserStatus', 'legacy', env.mainDomain);
      window.location.assign(env.legacySignInUrl);
      return true;
    default:
      return goToSecondFactor(env, method, code);
  }
}
