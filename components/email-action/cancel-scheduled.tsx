import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { keepAccountByLink, keepSecondFactorByLink } from '@/lib/browser/account/api';
import { displayDay } from '@/lib/browser/dates';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import type { ScheduledChange } from '@/lib/shared/account/email-action';
import type { Language } from '@/lib/shared/i18n/languages';
import { displayMomentInUtc } from '@/lib/shared/moment';
import { paths } from '@/lib/shared/paths';
import { IncompleteLink, Unreachable } from './unusable-link';
import { useLinkAction } from './use-email-action';

/** Texts and call by the link's mode. Times are in UTC, as in the email. */
const KINDS = {
  keepAccount: {
    texts: 'keep',
    call: keepAccountByLink,
    display: (at: string, language: Language) => displayDay(at, language, 'UTC'),
  },
  keepSecondFactor: { texts: 'keepFactor', call: keepSecondFactorByLink, display: displayMomentInUtc },
} as const;
type Mode = keyof typeof KINDS;

type Props = { mode: Mode; code: string; scheduled: ScheduledChange | null };

/**
 * A link that cancels a scheduled change: the deletion of the account, or the reset of its second factor. Opening it
 * changes nothing, because email scanners also open links.
 */
export function CancelScheduled({ mode, code, scheduled }: Props) {
  if (scheduled === null || scheduled.state === 'unavailable')
    return <Unreachable code="unknown" onRetry={() => window.location.reload()} />;
  if (scheduled.state === 'invalid') return <IncompleteLink />;
  if (scheduled.effectiveAt === null) return <Ended mode={mode} state={scheduled.state} />;
  return <Scheduled mode={mode} code={code} effectiveAt={scheduled.effectiveAt} />;
}

function Scheduled({ mode, code, effectiveAt }: { mode: Mode; code: string; effectiveAt: string }) {
  const { t } = useMessages('actions');
  const language = useLanguage();
  const { texts, call, display } = KINDS[mode];
  const { phase, act } = useLinkAction(() => call(code));
  if (phase === 'done') return <Kept mode={mode} />;
  if (phase === 'expired') return <Ended mode={mode} state={phase} />;
  // The page has read the link, so the change is already canceled.
  if (phase === 'invalid') return <Ended mode={mode} state="canceled" />;
  return (
    <AuthLayout heading={t(`${texts}.heading`)} lead={t(`${texts}.lead`, { date: display(effectiveAt, language) })}>
      <div className={styles.stack}>
        {phase === 'failed' && <Notice tone="error">{t(`${texts}.failed`)}</Notice>}
        <Button busy={phase === 'busy'} busyLabel={t(`${texts}.busy`)} onClick={act}>
          {t(`${texts}.button`)}
        </Button>
      </div>
    </AuthLayout>
  );
}

function Kept({ mode }: { mode: Mode }) {
  const { t } = useMessages('actions');
  const { texts } = KINDS[mode];
  return (
    <AuthLayout step="done" heading={t(`${texts}.doneHeading`)} lead={t(`${texts}.doneLead`)}>
      <div className={styles.stack}>
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('keep.signIn')}
        </ButtonLink>
        <p>{t(`${texts}.notYou`)}</p>
        <ButtonLink href={paths.forgetPassword}>{t('keep.reset')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}

function Ended({ mode, state }: { mode: Mode; state: 'expired' | 'canceled' }) {
  const { t } = useMessages('actions');
  const { texts } = KINDS[mode];
  return (
    <AuthLayout heading={t(`${texts}.${state}Heading`)} lead={t(`${texts}.${state}Lead`)}>
      <ButtonLink kind="primary" href={paths.signIn}>
        {t('keep.signIn')}
      </ButtonLink>
    </AuthLayout>
  );
}
