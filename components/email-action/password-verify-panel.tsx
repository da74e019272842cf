import { NewPasswordForm } from '@/components/account-forms/new-password-form';
import { EmailLead } from '@/components/layout/email-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import { PageLink } from '@/components/ui/page-link';
import { verifyEmail } from '@/lib/browser/account/email-action';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { getLinkEnd, toLinkFailure } from './link-failure';

type Props = { code: string; email: string; onVerified: () => void };

/** A link opened in a different browser than the one that registered: confirming also requires a new password. */
export default function PasswordVerifyPanel({ code, email, onVerified }: Props) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  const save = async (password: string) => {
    const result = await verifyEmail(env, code, password);
    if (!result.ok) return toLinkFailure(result);
    onVerified();
    return null;
  };
  return (
    <AuthLayout heading={t('heading.verifyEmail')} lead={<EmailLead text={t('verify.withPassword')} email={email} />}>
      <NewPasswordForm
        label={t('heading.verifyEmail')}
        email={email}
        button={t('verify.button')}
        busyLabel={t('verify.busy')}
        save={save}
        getNextStep={(failure) =>
          getLinkEnd(failure) !== null && <PageLink href={paths.emailLink}>{t('dead.newLink')}</PageLink>
        }
      >
        <p>{t('verify.whyPassword')}</p>
      </NewPasswordForm>
    </AuthLayout>
  );
}
