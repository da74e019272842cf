import { useState } from 'react';
import { useFlowForm } from '@/components/ui/form/use-flow-form';
import { carryEmail } from '@/lib/account/carried-email';
import { signInRules, type SignInValues } from '@/lib/account/sign-in-rules';
import type { EntryFailure } from '@/lib/auth/enter';
import { isCredentialFailure } from '@/lib/auth/error-codes';
import { passwordWay } from '@/lib/auth/ways';
import type { PublicEnv } from '@/lib/config/public-env';

/** The sign-in form's state, and how many tries have failed on this page. */
export function useSignInForm(env: PublicEnv) {
  const [tries, setTries] = useState(0);
  const form = useFlowForm<SignInValues, EntryFailure>({
    schema: signInRules,
    submit: async ({ email, password }) => {
      carryEmail(email);
      const { signInWithPassword } = await passwordWay();
      const failure = await signInWithPassword(env, email, password);
      if (failure && isCredentialFailure(failure.code)) setTries((count) => count + 1);
      return failure;
    },
  });
  // The SDK is on its way while the person types.
  const approach = () =>
    void passwordWay()
      .then((way) => way.prepare(env))
      .catch(() => undefined);
  return { form, tries, approach };
}
