import { useEffect } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { useSignOut } from '@/components/session/use-sign-out';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { keepAccount } from '@/lib/browser/account/api';
import { goToCallback } from '@/lib/browser/callback';
import { usePublicEnv } from '@/lib/browser/config/context';
import { displayDay } from '@/lib/browser/dates';
import { useCall } from '@/lib/browser/use-call';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

/**
 * Shows when the account will be deleted. It is shown after the request, and after each sign-in before the destination,
 * because another person may have made the request.
 * @param props `effectiveAt`: null if nothing is scheduled
 */
export function KeepAccountScreen({ effectiveAt }: { effectiveAt: string | null }) {
  const { t } = useMessages('keep-account');
  const language = useLanguage();
  const env = usePublicEnv();
  const { phase, act } = useCall(keepAccount);
  const signOut = useSignOut();
  const isOver = effectiveAt === null;
  useEffect(() => {
    if (isOver) goToCallback(env);
  }, [isOver, env]);
  if (isOver) return <AuthLayout heading={t('kept.heading')}>{null}</AuthLayout>;
  if (phase === 'done')
    return (
      <AuthLayout step="done" heading={t('kept.heading')} lead={t('kept.lead')}>
        <Button onClick={() => goToCallback(env)}>{t('kept.continue')}</Button>
        <div className={styles.links}>
          {/* The page needs its own document (lib/browser/page-start.ts). */}
          <a href={paths.security}>{t('kept.security')}</a>
        </div>
      </AuthLayout>
    );
  // The day in UTC, as in the emails. Its number stays next to the month.
  const date = displayDay(effectiveAt, language, 'UTC').replace(' ', '\u00a0');
  return (
    <AuthLayout heading={t('heading', { date })} lead={t('lead')} showsContext={false}>
      <div className={styles.stack}>
        {phase === 'failed' && <Notice tone="error">{t('failed')}</Notice>}
        <Button busy={phase === 'busy'} busyLabel={t('keeping')} onClick={act}>
          {t('keep')}
        </Button>
        <Button
          kind="secondary"
          busy={signOut.isBusy}
          busyLabel={t('common:signingOut')}
          onClick={() => void signOut.leave()}
        >
          {t('signOut')}
        </Button>
        <Button kind="quiet" onClick={() => goToCallback(env)}>
          {t('goOn')}
        </Button>
        <p className={styles.soft}>{t('notYou')}</p>
      </div>
    </AuthLayout>
  );
}
