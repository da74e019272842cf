import { useTranslation } from 'next-i18next/pages';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import styles from './mobile.module.css';
import { useAccountChoice } from './use-account-choice';

export type Selection = { request: string; name: string | null; email: string | null };

export function AccountChoice({ selection }: { selection: Selection }) {
  const { t } = useTranslation('mobile');
  const { phase, goOn, another } = useAccountChoice(selection.request);
  const who = selection.name ?? selection.email ?? t('thisAccount');
  return (
    <div className={styles.stack}>
      {phase.name === 'failed' && <Notice tone="error">{t(`failed.${phase.reason}`)}</Notice>}
      <p className={styles.account}>
        <strong>{who}</strong>
        {selection.name !== null && selection.email !== null && <span>{selection.email}</span>}
      </p>
      {phase.name === 'sent' ? (
        <Notice tone="success">
          {t('sent')} <a href={phase.address}>{t('openApp')}</a>
        </Notice>
      ) : (
        <>
          <Button busy={phase.name === 'asking'} busyLabel={t('asking')} onClick={goOn}>
            {t('continueAs', { name: who })}
          </Button>
          <Button kind="secondary" busy={phase.name === 'leaving'} busyLabel={t('common:signingOut')} onClick={another}>
            {t('another')}
          </Button>
        </>
      )}
    </div>
  );
}
