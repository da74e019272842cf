import { useTranslation } from 'next-i18next/pages';
import { EmailHint } from '@/components/layout/email-hint';
import { ProblemNotice } from '@/components/layout/problem-notice';
import { useCarriedEmail } from '@/components/layout/use-carried-email';
import { useFirstFocus } from '@/components/layout/use-first-focus';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { EmailField } from '@/components/ui/form/text-field';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { requestSignInLink, type CallFailure } from '@/lib/account/calls';
import { carryEmail } from '@/lib/account/carried-email';
import { emailRules, type EmailValues } from '@/lib/account/email-rules';
import type { SentLink } from './link-sent';

export function EmailLinkForm({ onSent }: { onSent: (link: SentLink) => void }) {
  const { t } = useTranslation('sign-in');
  const form = useFlowForm<EmailValues, CallFailure>({
    schema: emailRules,
    submit: async ({ email }) => {
      carryEmail(email);
      const answer = await requestSignInLink(email);
      if (!answer.ok) return answer;
      onSent({ email, resendAfter: answer.data.resendAfter });
      return null;
    },
  });
  const { fields, phase } = form;
  useCarriedEmail(fields);
  useFirstFocus(() => fields.setFocus('email'));
  return (
    <Form label={t('emailLink.form')} flow={form}>
      {phase.name === 'failed' && <ProblemNotice failure={phase.failure} onOver={form.reset} />}
      <EmailField form={fields} name="email" label={t('common:fields.email')} hint={<EmailHint form={fields} />} />
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('emailLink.sending')}>
        {t('emailLink.link')}
      </Button>
    </Form>
  );
}
