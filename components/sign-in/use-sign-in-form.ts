import { useState } from 'react';
import { useFlowForm } from '@/components/ui/form/use-flow-form';
import { carryEmail } from '@/lib/browser/account/carried-email';
import { signInRules, type SignInValues } from '@/lib/browser/account/sign-in-rules';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/complete-sign-in';
import { isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { loadPasswordSignIn } from '@/lib/browser/auth/sign-in/load-sign-in';
import type { PublicEnv } from '@/lib/shared/config/public-env';

/** The sign-in form's state, and the number of failed attempts on this page. */
export function useSignInForm(env: PublicEnv) {
  const [tries, setTries] = useState(0);
  const form = useFlowForm<SignInValues, SignInFailure>({
    schema: signInRules,
    submit: async ({ email, password }) => {
      carryEmail(email);
      const { signInWithPassword } = await loadPasswordSignIn();
      const failure = await signInWithPassword(env, email, password);
      if (failure && isCredentialFailure(failure.code)) setTries((count) => count + 1);
      return failure;
    },
  });
  // Preload the SDK while the user types.
  const approach = () =>
    void loadPasswordSignIn()
      .then((module) => module.preparePasswordSignIn(env))
      .catch(() => undefined);
  return { form, tries, approach };
}
