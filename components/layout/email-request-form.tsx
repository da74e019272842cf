import { useTranslation } from 'next-i18next/pages';
import type { ReactNode } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { EmailField } from '@/components/ui/form/text-field';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import type { CallFailure } from '@/lib/account/calls';
import { carryEmail } from '@/lib/account/carried-email';
import { emailRules, type EmailValues } from '@/lib/account/email-rules';
import { EmailHint } from './email-hint';
import { ProblemNotice } from './problem-notice';
import { useCarriedEmail } from './use-carried-email';
import { useFirstFocus } from './use-first-focus';

type Props = {
  texts: { form: string; send: string; sending: string };
  /** Asks for the mail and goes on. @returns why it was not asked for, or null */
  request: (email: string) => Promise<CallFailure | null>;
  /** What stands below the button and needs the address as well. */
  below?: (fields: UseFormReturn<EmailValues>) => ReactNode;
};

/** Asks for a mail by nothing but an address, which is carried on to the next screen. */
export function EmailRequestForm({ texts, request, below }: Props) {
  const { t } = useTranslation('common');
  const form = useFlowForm<EmailValues, CallFailure>({
    schema: emailRules,
    submit: ({ email }) => {
      carryEmail(email);
      return request(email);
    },
  });
  const { fields, phase } = form;
  useCarriedEmail(fields);
  useFirstFocus('email');
  return (
    <Form label={texts.form} flow={form}>
      {phase.name === 'failed' && <ProblemNotice failure={phase.failure} onOver={form.reset} />}
      <EmailField form={fields} name="email" label={t('fields.email')} hint={<EmailHint form={fields} />} />
      <Button type="submit" busy={isBusy(phase)} busyLabel={texts.sending}>
        {texts.send}
      </Button>
      {below?.(fields)}
    </Form>
  );
}
