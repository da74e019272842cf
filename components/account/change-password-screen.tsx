import { useState } from 'react';
import { SignedInShell } from '@/components/session/signed-in-shell';
import { ButtonLink, Button } from '@/components/ui/button';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { NewPasswordFields } from '@/components/account-forms/new-password-fields';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { useRefusal } from '@/components/account-forms/use-refusal';
import { Form, isBusy, useFlowForm } from '@/components/ui/form/form';
import { PasswordField } from '@/components/ui/form/fields';
import { PageLink } from '@/components/ui/page-link';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import type { ChangePasswordValues } from '@/lib/browser/account/change-password-schema';
import { changePassword, needsRecentSignIn, type ChangeFailure } from '@/lib/browser/account/change-password';
import { isAuthErrorCode, isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { SignInAgain } from './sign-in-again';
import below from '@/components/account-forms/below.module.css';
import styles from './account.module.css';

/** Changes the password of a signed-in user (docs/product.md#screens). */
export function ChangePasswordScreen({ email }: { email: string }) {
  const { t } = useMessages('account-settings');
  const env = usePublicEnv();
  const [changed, setChanged] = useState(false);
  return (
    <SignedInShell heading={changed ? t('changedHeading') : t('heading')} lead={changed ? t('changed') : t('lead')}>
      <div className={styles.narrow}>
        {changed ? (
          <ButtonLink kind="primary" href={getCallbackPolicy(env).dashboardUrl}>
            {t('toLearning')}
          </ButtonLink>
        ) : (
          <ChangePasswordForm email={email} onChanged={() => setChanged(true)} />
        )}
      </div>
    </SignedInShell>
  );
}

function ChangePasswordForm({ email, onChanged }: { email: string; onChanged: () => void }) {
  const { t } = useMessages('account-settings');
  const env = usePublicEnv();
  const form = useFlowForm<ChangePasswordValues, ChangeFailure>({
    schema: async () => (await import('@/lib/browser/account/change-password-schema')).changePasswordSchema,
    submit: async ({ current, password }) => {
      const result = await changePassword(env, { email }, { current, next: password });
      if (result === 'signed-in') onChanged();
      return typeof result === 'string' ? null : result;
    },
  });
  const { fields, phase } = form;
  const isWrong = phase.name === 'failed' && isWrongPassword(phase.failure);
  return (
    <Form label={t('form')} flow={form}>
      {phase.name === 'failed' && !isWrong && (
        <ProblemNotice failure={phase.failure} hasForm onExpire={form.reset}>
          {needsRecentSignIn(phase.failure) && <SignInAgain email={email} />}
        </ProblemNotice>
      )}
      <PasswordField
        form={fields}
        name="current"
        label={t('current-password:label')}
        refusal={useRefusal(form, 'current', isWrong ? t('current-password:wrong') : null)}
        autoComplete="current-password"
      />
      <p className={below.below}>
        <PageLink href={paths.forgetPassword} onClick={() => carriedEmail.set(email)}>
          {t('forgot')}
        </PageLink>
      </p>
      <NewPasswordFields flow={form} email={email} />
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('changing')}>
        {t('change')}
      </Button>
    </Form>
  );
}

function isWrongPassword({ code }: ChangeFailure): boolean {
  return isAuthErrorCode(code) && isCredentialFailure(code);
}
