import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { PasswordField } from '@/components/ui/form/password-field';
import { EmailField } from '@/components/ui/form/text-field';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { signInRules, type SignInValues } from '@/lib/browser/account/sign-in-rules';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/complete-sign-in';
import { isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { signInWithPassword } from '@/lib/browser/auth/sign-in/password';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { SignInFailureNotice } from '../sign-in-failure-notice';

/** Signs in to the existing account with its password; a wrong password can be retried. */
export function LinkPasswordForm({ email }: { email: string }) {
  const { t } = useMessages('link-account');
  const env = usePublicEnv();
  const [tries, setTries] = useState(0);
  const form = useFlowForm<SignInValues, SignInFailure>({
    schema: signInRules,
    defaults: { email },
    submit: async ({ password }) => {
      const failure = await signInWithPassword(env, email, password);
      if (failure && isCredentialFailure(failure.code)) setTries((count) => count + 1);
      return failure;
    },
  });
  const { fields, phase } = form;
  return (
    <Form label={t('form')} flow={form}>
      {phase.name === 'failed' && <SignInFailureNotice failure={phase.failure} tries={tries} onExpire={form.reset} />}
      <EmailField form={fields} name="email" label={t('common:fields.email')} readOnly />
      <PasswordField
        form={fields}
        name="password"
        label={t('common:fields.password')}
        autoComplete="current-password"
      />
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('sign-in:signingIn')}>
        {t('submit')}
      </Button>
    </Form>
  );
}
