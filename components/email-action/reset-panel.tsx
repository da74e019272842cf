import { useRouter } from 'next/router';
import { useTranslation } from 'next-i18next/pages';
import { AddressLead } from '@/components/layout/address-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import { NewPasswordFields } from '@/components/layout/new-password-fields';
import { ProblemNotice, type Failure } from '@/components/layout/problem-notice';
import { showPasswordRefusal } from '@/components/layout/show-password-refusal';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { PageLink } from '@/components/ui/page-link';
import { resetByLink, type CallFailure } from '@/lib/account/calls';
import { carryEmail } from '@/lib/account/carried-email';
import type { EmailAction } from '@/lib/account/email-action';
import type { NewPasswordValues } from '@/lib/account/password-schemas';
import { paths } from '@/lib/paths';

/** Setting a new password with a link. */
export default function ResetPanel({ action, email }: { action: EmailAction; email: string }) {
  const { t } = useTranslation('actions');
  const router = useRouter();
  const form = useFlowForm<NewPasswordValues, Failure>({
    schema: async () => (await import('@/lib/account/password-schemas')).newPasswordSchema,
    submit: async ({ password }, fields) => {
      const answer = await resetByLink(action.code, password);
      if (!answer.ok) return showPasswordRefusal(fields, named(answer));
      carryEmail(email);
      await router.push(paths.forgetPasswordConfirmation);
      return null;
    },
  });
  const { fields, phase } = form;
  return (
    <AuthLayout heading={t('heading.resetPassword')} lead={<AddressLead text={t('reset.lead')} email={email} />}>
      <Form label={t('heading.resetPassword')} flow={form}>
        {phase.name === 'failed' && (
          <ProblemNotice failure={phase.failure} onOver={form.reset}>
            {isDead(phase.failure) && <PageLink href={paths.forgetPassword}>{t('dead.newCode')}</PageLink>}
          </ProblemNotice>
        )}
        <NewPasswordFields form={fields} email={email} />
        <Button type="submit" busy={isBusy(phase)} busyLabel={t('reset.busy')}>
          {t('reset.button')}
        </Button>
      </Form>
    </AuthLayout>
  );
}

/** The link's own end, by the catalogue's names. */
function named(failure: CallFailure): Failure {
  if (failure.code === 'action-code-expired') return { ...failure, code: 'EXPIRED_OOB_CODE' };
  if (failure.code === 'action-code-invalid') return { ...failure, code: 'INVALID_OOB_CODE' };
  return failure;
}

function isDead({ code }: Failure): boolean {
  return code === 'EXPIRED_OOB_CODE' || code === 'INVALID_OOB_CODE';
}
