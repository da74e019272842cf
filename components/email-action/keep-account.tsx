import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { keepAccountByLink } from '@/lib/browser/account/api';
import { displayDay } from '@/lib/browser/dates';
import { useMessages } from '@/lib/browser/use-messages';
import type { ScheduledDeletion } from '@/lib/shared/account/email-action';
import { paths } from '@/lib/shared/paths';
import { Unreachable } from './unusable-link';
import { useLinkAction } from './use-link-action';

type Props = { code: string; deletion: ScheduledDeletion | null };

/** A link that keeps an account scheduled for deletion. Opening it changes nothing: email scanners open links, too. */
export function KeepAccount({ code, deletion }: Props) {
  if (deletion === null || deletion.state === 'unavailable')
    return <Unreachable code="unknown" onRetry={() => window.location.reload()} />;
  if (deletion.effectiveAt === null) return <Ended state={deletion.state} />;
  return <Scheduled code={code} effectiveAt={deletion.effectiveAt} />;
}

function Scheduled({ code, effectiveAt }: { code: string; effectiveAt: string }) {
  const { t } = useMessages('actions');
  const { phase, act } = useLinkAction(() => keepAccountByLink(code));
  if (phase === 'done') return <Kept />;
  if (phase === 'expired' || phase === 'invalid') return <Ended state={phase} />;
  return (
    // As the email says it: in UTC.
    <AuthLayout heading={t('keep.heading')} lead={t('keep.lead', { date: displayDay(effectiveAt, 'UTC') })}>
      <div className={styles.stack}>
        {phase === 'failed' && <Notice tone="error">{t('keep.failed')}</Notice>}
        <Button busy={phase === 'busy'} busyLabel={t('keep.busy')} onClick={act}>
          {t('keep.button')}
        </Button>
      </div>
    </AuthLayout>
  );
}

function Kept() {
  const { t } = useMessages('actions');
  return (
    <AuthLayout heading={t('keep.doneHeading')} lead={t('keep.doneLead')}>
      <div className={styles.stack}>
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('keep.signIn')}
        </ButtonLink>
        <p>{t('keep.notYou')}</p>
        <ButtonLink href={paths.forgetPassword}>{t('keep.reset')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}

function Ended({ state }: { state: 'expired' | 'invalid' }) {
  const { t } = useMessages('actions');
  return (
    <AuthLayout heading={t(`keep.${state}Heading`)} lead={t(`keep.${state}Lead`)}>
      <ButtonLink kind="primary" href={paths.signIn}>
        {t('keep.signIn')}
      </ButtonLink>
    </AuthLayout>
  );
}
