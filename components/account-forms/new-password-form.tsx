import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Form, isBusy, useFlowForm } from '@/components/ui/form/form';
import type { NewPasswordValues } from '@/lib/browser/account/new-password-schema';
import { NewPasswordFields } from './new-password-fields';
import { ProblemNotice, type FlowFailure } from './problem-notice';

type Props = {
  label: string;
  email: string;
  button: string;
  busyLabel: string;
  /** Sets the password and continues the flow. @returns null on success */
  save: (password: string) => Promise<FlowFailure | null>;
  /** Returns the link to the next step after a failure. */
  getNextStep: (failure: FlowFailure) => ReactNode;
  /** Shown above the fields. */
  children?: ReactNode;
};

/** A form that asks only for a new password. */
export function NewPasswordForm({ label, email, button, busyLabel, save, getNextStep, children }: Props) {
  const form = useFlowForm<NewPasswordValues, FlowFailure>({
    schema: async () => (await import('@/lib/browser/account/new-password-schema')).newPasswordSchema,
    submit: ({ password }) => save(password),
  });
  const { phase } = form;
  return (
    <Form label={label} flow={form}>
      {phase.name === 'failed' && (
        <ProblemNotice failure={phase.failure} hasForm onExpire={form.reset}>
          {getNextStep(phase.failure)}
        </ProblemNotice>
      )}
      {children}
      <NewPasswordFields flow={form} email={email} />
      <Button type="submit" busy={isBusy(phase)} busyLabel={busyLabel}>
        {button}
      </Button>
    </Form>
  );
}
