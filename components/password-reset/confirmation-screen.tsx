import { ContinueLink } from '@/components/account-forms/continue-link';
import { EmailLead } from '@/components/layout/email-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { ButtonLink } from '@/components/ui/button';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

type Props = {
  /**
   * The reset's email, for a user who came back to its code page after the password was changed, so the typed input was
   * not used. Null otherwise.
   */
  changedBefore: string | null;
  /** Email of the session that the reset has opened. Null if the user signs in separately. */
  signedInAs: string | null;
  /** The learner's destination according to the server. */
  destination: string;
};

/** Confirms the new password. */
export function ConfirmationScreen({ changedBefore, signedInAs, destination }: Props) {
  const { t } = useMessages('confirmation-password');
  if (changedBefore !== null) {
    return (
      <AuthLayout heading={t('before.heading')} lead={<EmailLead text={t('before.lead')} email={changedBefore} />}>
        <div className={styles.stack}>
          <p>{signedInAs === changedBefore ? t('before.whichSignedIn') : t('before.which')}</p>
          {signedInAs === changedBefore ? (
            <ContinueLink destination={destination} label={t('continue')} />
          ) : (
            <ButtonLink kind="primary" href={paths.signIn} onClick={() => carriedEmail.set(changedBefore)}>
              {t('signIn')}
            </ButtonLink>
          )}
          <ButtonLink href={paths.forgetPassword}>{t('before.again')}</ButtonLink>
        </div>
      </AuthLayout>
    );
  }
  if (signedInAs !== null) {
    return (
      <AuthLayout step="done" heading={t('heading')} lead={<EmailLead text={t('signedInAs')} email={signedInAs} />}>
        <ContinueLink destination={destination} label={t('continue')} />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout step="done" heading={t('heading')} lead={t('lead')}>
      <ButtonLink kind="primary" href={paths.signIn}>
        {t('signIn')}
      </ButtonLink>
    </AuthLayout>
  );
}
