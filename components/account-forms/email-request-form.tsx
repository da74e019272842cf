import type { ReactNode } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { Button } from '@/components/ui/button';
import { Form, isBusy, useFlowForm } from '@/components/ui/form/form';
import { EmailField } from '@/components/ui/form/fields';
import type { CallFailure } from '@/lib/browser/account/api';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { emailRules, type EmailValues } from '@/lib/shared/account/email-rules';
import { useMessages } from '@/lib/browser/use-messages';
import { EmailHint, useCarriedEmail } from './email-hint';
import { ProblemNotice } from './problem-notice';
import { useAttempt, useFirstFocus } from '../../lib/browser/hooks';

type Props = {
  texts: { form: string; send: string; sending: string };
  /** Requests the email and navigates to the next screen. @returns the failure, or null */
  request: (email: string) => Promise<CallFailure | null>;
  /** Content below the button that also needs the email address. */
  below?: (fields: UseFormReturn<EmailValues>) => ReactNode;
};

/** Requests an email by address only. The address is carried over to the next screen. */
export function EmailRequestForm({ texts, request, below }: Props) {
  const { t } = useMessages('common');
  const form = useFlowForm<EmailValues, CallFailure>({
    schema: emailRules,
    submit: ({ email }) => {
      begin();
      carriedEmail.set(email);
      return request(email);
    },
  });
  const { fields, phase } = form;
  const begin = useAttempt(form.reset);
  useCarriedEmail(fields);
  useFirstFocus('email');
  return (
    <Form label={texts.form} flow={form}>
      {phase.name === 'failed' && <ProblemNotice failure={phase.failure} hasForm onExpire={form.reset} />}
      <EmailField form={fields} name="email" label={t('fields.email')} hint={<EmailHint form={fields} />} />
      <Button type="submit" busy={isBusy(phase)} busyLabel={texts.sending}>
        {texts.send}
      </Button>
      {below?.(fields)}
    </Form>
  );
}
