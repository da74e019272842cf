import { useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { undoEmailChange } from '@/lib/browser/account/api';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import type { LinkedEmailChange } from '@/lib/shared/account/email-action';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { paths } from '@/lib/shared/paths';
import { IncompleteLink, Unreachable } from './unusable-link';
import { useLinkAction } from './use-email-action';

type Mode = 'changeEmail' | 'undoEmailChange';
type Props = { mode: Mode; code: string; change: LinkedEmailChange | null };

/**
 * A link about another email of an account: the new mailbox carries the change out, with a session of the account, and
 * the former mailbox cancels or undoes it. Opening it changes nothing, because email scanners also open links.
 */
export function EmailChangeLink({ mode, code, change }: Props) {
  if (change === null || change.state === 'unavailable')
    return <Unreachable code="unknown" onRetry={() => window.location.reload()} />;
  if (change.state === 'invalid') return <IncompleteLink />;
  if (change.email === null) return <Ended mode={mode} state={change.state} />;
  return mode === 'changeEmail' ? (
    <Change code={code} email={change.email} />
  ) : (
    <Undo code={code} email={change.email} restores={change.state === 'done'} />
  );
}

function Change({ code, email }: { code: string; email: string }) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  const { phase, act } = useLinkAction(async () => {
    const { changeEmailByLink } = await import('@/lib/browser/account/email-change-link');
    return changeEmailByLink(env, code);
  });
  if (phase === 'done') {
    return (
      <AuthLayout step="done" heading={t('changeEmail.doneHeading')} lead={t('changeEmail.doneLead')}>
        <ButtonLink kind="primary" href={paths.security}>
          {t('changeEmail.account')}
        </ButtonLink>
      </AuthLayout>
    );
  }
  if (phase === 'signed-out') {
    return (
      <AuthLayout heading={t('changeEmail.signInHeading')} lead={t('changeEmail.signInLead')}>
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('keep.signIn')}
        </ButtonLink>
      </AuthLayout>
    );
  }
  if (phase === 'expired' || phase === 'taken') return <Ended mode="changeEmail" state={phase} />;
  if (phase === 'invalid') return <Ended mode="changeEmail" state="ended" />;
  return (
    <AuthLayout heading={t('changeEmail.heading')} lead={t('changeEmail.lead', { email: toDisplayEmail(email) })}>
      <div className={styles.stack}>
        {phase === 'failed' && <Notice tone="error">{t('changeEmail.failed')}</Notice>}
        <Button busy={phase === 'busy'} busyLabel={t('changeEmail.busy')} onClick={act}>
          {t('changeEmail.button')}
        </Button>
      </div>
    </AuthLayout>
  );
}

/** @param email the former one @param restores whether the account has the new one already */
function Undo({ code, email, restores }: { code: string; email: string; restores: boolean }) {
  const { t } = useMessages('actions');
  const [isRestored, setIsRestored] = useState(false);
  const { phase, act } = useLinkAction(
    () => undoEmailChange(code),
    ({ done }) => setIsRestored(done === 'restore'),
  );
  if (phase === 'done') {
    const texts = isRestored ? 'restored' : 'done';
    return (
      <AuthLayout heading={t(`undoEmailChange.${texts}Heading`)} lead={t(`undoEmailChange.${texts}Lead`)}>
        <ButtonLink kind="primary" href={paths.forgetPassword}>
          {t('keep.reset')}
        </ButtonLink>
      </AuthLayout>
    );
  }
  if (phase === 'expired' || phase === 'taken') return <Ended mode="undoEmailChange" state={phase} />;
  if (phase === 'invalid') return <Ended mode="undoEmailChange" state="ended" />;
  const [heading, lead, button] = restores
    ? (['restoreHeading', 'restoreLead', 'restoreButton'] as const)
    : (['heading', 'lead', 'button'] as const);
  return (
    <AuthLayout
      heading={t(`undoEmailChange.${heading}`)}
      lead={t(`undoEmailChange.${lead}`, { email: toDisplayEmail(email) })}
    >
      <div className={styles.stack}>
        {phase === 'failed' && <Notice tone="error">{t('undoEmailChange.failed')}</Notice>}
        <Button busy={phase === 'busy'} busyLabel={t('undoEmailChange.busy')} onClick={act}>
          {t(`undoEmailChange.${button}`)}
        </Button>
      </div>
    </AuthLayout>
  );
}

function Ended({ mode, state }: { mode: Mode; state: 'expired' | 'ended' | 'taken' }) {
  const { t } = useMessages('actions');
  return (
    <AuthLayout heading={t(`${mode}.${state}Heading`)} lead={t(`${mode}.${state}Lead`)}>
      <ButtonLink kind="primary" href={paths.signIn}>
        {t('keep.signIn')}
      </ButtonLink>
    </AuthLayout>
  );
}
