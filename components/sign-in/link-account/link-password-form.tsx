import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { PasswordField } from '@/components/ui/form/password-field';
import { EmailField } from '@/components/ui/form/text-field';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { signInRules, type SignInValues } from '@/lib/account/sign-in-rules';
import type { EntryFailure } from '@/lib/auth/enter';
import { isCredentialFailure } from '@/lib/auth/error-codes';
import { signInWithPassword } from '@/lib/auth/password';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { EntryFailureNotice } from '../entry-failure-notice';

/** Proves the existing account by its password; a wrong one may be tried again. */
export function LinkPasswordForm({ email }: { email: string }) {
  const { t } = useTranslation('link-account');
  const env = usePublicEnv();
  const [tries, setTries] = useState(0);
  const form = useFlowForm<SignInValues, EntryFailure>({
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
      {phase.name === 'failed' && <EntryFailureNotice failure={phase.failure} tries={tries} onOver={form.reset} />}
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
