import { useTranslation } from 'next-i18next/pages';
import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { errorTextKey } from '@/lib/auth/error-codes';
import { paths } from '@/lib/paths';
import styles from './partner.module.css';
import { usePartnerSignIn } from './use-partner-sign-in';

export type PartnerOfLink = { name: string; provider: string };

/** Leaves for the partner by itself the first time; after that only when it is asked to. */
export function PartnerStart({ partner }: { partner: PartnerOfLink }) {
  const { t } = useTranslation('partner');
  const { phase, start } = usePartnerSignIn(partner.provider);
  return (
    <div className={styles.stack}>
      {phase.name === 'failed' && <Notice tone="error">{t(errorTextKey(phase.failure.code))}</Notice>}
      {phase.name === 'unanswered' && <Notice tone="info">{t('unanswered', { partner: partner.name })}</Notice>}
      <Button busy={phase.name === 'busy'} busyLabel={t('leaving')} onClick={start}>
        {t('common:continueWith', { provider: partner.name })}
      </Button>
      {phase.name !== 'busy' && <ButtonLink href={paths.signIn}>{t('anotherWay')}</ButtonLink>}
    </div>
  );
}
