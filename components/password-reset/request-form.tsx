import { useRouter } from 'next/router';
import { useTranslation } from 'next-i18next/pages';
import { EmailHint } from '@/components/layout/email-hint';
import { ProblemNotice } from '@/components/layout/problem-notice';
import { useCarriedEmail } from '@/components/layout/use-carried-email';
import { useFirstFocus } from '@/components/layout/use-first-focus';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { EmailField } from '@/components/ui/form/text-field';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { failureOf, requestReset, type CallFailure } from '@/lib/account/calls';
import { carryEmail } from '@/lib/account/carried-email';
import { emailRules, type EmailValues } from '@/lib/account/email-rules';
import { paths } from '@/lib/paths';
import { SignInHelp } from './sign-in-help';

export function RequestForm() {
  const { t } = useTranslation('forget-password');
  const router = useRouter();
  const form = useFlowForm<EmailValues, CallFailure>({
    schema: emailRules,
    submit: async ({ email }) => {
      carryEmail(email);
      const failure = failureOf(await requestReset(email));
      if (!failure) await router.push(paths.forgetPasswordInstructions);
      return failure;
    },
  });
  const { fields, phase } = form;
  useCarriedEmail(fields);
  useFirstFocus(() => fields.setFocus('email'));
  return (
    <Form label={t('form')} flow={form}>
      {phase.name === 'failed' && <ProblemNotice failure={phase.failure} onOver={form.reset} />}
      <EmailField form={fields} name="email" label={t('common:fields.email')} hint={<EmailHint form={fields} />} />
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('sending')}>
        {t('send')}
      </Button>
      <SignInHelp form={fields} />
    </Form>
  );
}
