import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { errorTextKey } from '@/lib/browser/auth/sign-in/error-codes';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import styles from './partner.module.css';
import { usePartnerSignIn } from './use-partner-sign-in';

export type PartnerOfLink = { name: string; provider: string };

/** Redirects to the partner automatically the first time; after that only when the user clicks the button. */
export function PartnerStart({ partner }: { partner: PartnerOfLink }) {
  const { t } = useMessages('partner');
  const { phase, start } = usePartnerSignIn(partner.provider);
  return (
    <div className={styles.stack}>
      {phase.name === 'failed' && (
        <Notice tone="error">{t(errorTextKey(phase.failure.code), { provider: partner.name })}</Notice>
      )}
      {phase.name === 'unanswered' && <Notice tone="info">{t('unanswered', { partner: partner.name })}</Notice>}
      <Button busy={phase.name === 'busy'} busyLabel={t('leaving')} onClick={start}>
        {t('common:continueWith', { provider: partner.name })}
      </Button>
      {phase.name !== 'busy' && <ButtonLink href={paths.signIn}>{t('anotherWay')}</ButtonLink>}
    </div>
  );
}
