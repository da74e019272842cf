import { useRouter } from 'next/router';
import { NewPasswordForm } from '@/components/account-forms/new-password-form';
import { EmailLead } from '@/components/layout/email-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import { PageLink } from '@/components/ui/page-link';
import { resetByLink } from '@/lib/browser/account/api';
import { carryEmail } from '@/lib/browser/account/carried-email';
import { useMessages } from '@/lib/browser/use-messages';
import type { ProviderAction } from '@/lib/shared/account/email-action';
import { paths } from '@/lib/shared/paths';
import { getLinkEnd, toLinkFailure } from './link-failure';

/** Sets a new password with an email link. */
export default function ResetPanel({ action, email }: { action: ProviderAction; email: string }) {
  const { t } = useMessages('actions');
  const router = useRouter();
  const save = async (password: string) => {
    const result = await resetByLink(action.code, password);
    if (!result.ok) return toLinkFailure(result);
    carryEmail(email);
    await router.push(paths.forgetPasswordConfirmation);
    return null;
  };
  return (
    <AuthLayout heading={t('heading.resetPassword')} lead={<EmailLead text={t('reset.lead')} email={email} />}>
      <NewPasswordForm
        label={t('heading.resetPassword')}
        email={email}
        button={t('reset.button')}
        busyLabel={t('reset.busy')}
        save={save}
        getNextStep={(failure) =>
          getLinkEnd(failure) !== null && <PageLink href={paths.forgetPassword}>{t('dead.newCode')}</PageLink>
        }
      />
    </AuthLayout>
  );
}
