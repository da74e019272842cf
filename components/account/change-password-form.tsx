import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { NewPasswordFields } from '@/components/layout/new-password-fields';
import { ProblemNotice } from '@/components/layout/problem-notice';
import { showPasswordRefusal } from '@/components/layout/show-password-refusal';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { PasswordField } from '@/components/ui/form/password-field';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import type { ChangePasswordValues } from '@/lib/account/password-schemas';
import { changePassword, type ChangeFailure } from '@/lib/auth/change-password';
import { isAuthErrorCode, isCredentialFailure } from '@/lib/auth/error-codes';
import { signOut } from '@/lib/auth/sign-out';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { pathWithReturn } from '@/lib/paths';

export function ChangePasswordForm({ email, onChanged }: { email: string; onChanged: () => void }) {
  const { t } = useTranslation('account-settings');
  const env = usePublicEnv();
  const form = useFlowForm<ChangePasswordValues, ChangeFailure>({
    schema: async () => (await import('@/lib/account/password-schemas')).changePasswordSchema,
    submit: async ({ current, password }, fields) => {
      const failure = await changePassword(env, current, password);
      if (failure === null) onChanged();
      else if (isWrongPassword(failure))
        fields.setError('current', { message: 'fields.currentWrong' }, { shouldFocus: true });
      return failure && showPasswordRefusal(fields, failure);
    },
  });
  const { fields, phase } = form;
  return (
    <Form label={t('form')} flow={form}>
      {phase.name === 'failed' && !isWrongPassword(phase.failure) && (
        <ProblemNotice failure={phase.failure} onOver={form.reset}>
          {needsSignIn(phase.failure) && <SignInAgain />}
        </ProblemNotice>
      )}
      <PasswordField
        form={fields}
        name="current"
        label={t('common:fields.currentPassword')}
        autoComplete="current-password"
      />
      <NewPasswordFields form={fields} email={email} />
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('changing')}>
        {t('change')}
      </Button>
    </Form>
  );
}

function isWrongPassword({ code }: ChangeFailure): boolean {
  return isAuthErrorCode(code) && isCredentialFailure(code);
}

function needsSignIn({ code }: ChangeFailure): boolean {
  return code === 'auth/requires-recent-login' || code === 'recent-login-required';
}

/** The session lives, but the identity provider knows nobody here: a fresh sign-in mends it, and leads back. */
function SignInAgain() {
  const { t } = useTranslation('account-settings');
  const env = usePublicEnv();
  const [leaving, setLeaving] = useState(false);
  const leave = async () => {
    setLeaving(true);
    if (await signOut(env)) return window.location.assign(pathWithReturn('change-password'));
    setLeaving(false);
  };
  return (
    <Button kind="quiet" busy={leaving} busyLabel={t('leaving')} onClick={() => void leave()}>
      {t('signInAgain')}
    </Button>
  );
}
