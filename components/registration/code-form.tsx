import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { OneTimeCodeField } from '@/components/layout/one-time-code-field';
import { ProblemNotice } from '@/components/layout/problem-notice';
import { useFirstFocus } from '@/components/layout/use-first-focus';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { confirmEmail, type CallFailure } from '@/lib/account/calls';
import type { CodeValues } from '@/lib/account/code-schemas';
import { signInWithToken } from '@/lib/auth/custom-token';
import { preloadAuth } from '@/lib/auth/firebase';
import type { PublicEnv } from '@/lib/config/public-env';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { writeCookie } from '@/lib/cookies/browser';
import { paths } from '@/lib/paths';
import { SelfSending } from './self-sending';

export function CodeForm() {
  const { t } = useTranslation('registration-confirm');
  const env = usePublicEnv();
  const [sending] = useState(() => new SelfSending());
  const form = useFlowForm<CodeValues, CallFailure>({
    schema: async () => (await import('@/lib/account/code-schemas')).codeSchema,
    submit: ({ code }) => confirm(env, code).finally(() => sending.answered()),
  });
  const { fields, phase } = form;
  useFirstFocus('code');
  return (
    <Form
      label={t('form')}
      flow={{ phase, onSubmit: (event) => sending.press(form.onSubmit, event) }}
      onApproach={() => preloadAuth(env)}
    >
      {phase.name === 'failed' && <ProblemNotice failure={phase.failure} onOver={form.reset} />}
      <OneTimeCodeField form={fields} name="code" onComplete={() => sending.complete(form.onSubmit)} />
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('verifying')}>
        {t('verify')}
      </Button>
    </Form>
  );
}

/** The address is confirmed even when signing in fails afterwards: then the next page asks for it. */
async function confirm(env: PublicEnv, code: string): Promise<CallFailure | null> {
  const answer = await confirmEmail(code);
  if (!answer.ok) return answer;
  const signedIn = await signInWithToken(env, answer.data.customToken, 'password', 'signUp');
  if (!signedIn) writeCookie('registrationRequiresSignIn', '1', env.mainDomain);
  window.location.assign(paths.registrationSuccess);
  return null;
}
