import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { ButtonLink } from '@/components/ui/button';
import { displayMoment } from '@/lib/browser/dates';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

/** A reset runs: when it comes, in the time of this browser, and what to do until then. */
export function ResetScheduled({ effectiveAt }: { effectiveAt: string }) {
  const { t } = useMessages('second-factor');
  const language = useLanguage();
  return (
    <AuthLayout
      heading={t('reset.doneHeading')}
      lead={t('reset.doneLead', { date: displayMoment(effectiveAt, language) })}
    >
      <div className={styles.stack}>
        <p>{t('reset.doneEmails')}</p>
        <p>{t('reset.doneFound')}</p>
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('backToSignIn')}
        </ButtonLink>
      </div>
    </AuthLayout>
  );
}
