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
    <Change code={code} email={change.email} isRecovery={change.kind === 'recovery'} />
  ) : (
    <Undo code={code} email={change.email} effect={getEffect(change)} />
  );
}

type Effect = 'cancel' | 'restore' | 'remove';

function getEffect({ state, kind }: LinkedEmailChange & { email: string }): Effect {
  if (state !== 'done') return 'cancel';
  return kind === 'main' ? 'restore' : 'remove';
}

function Change({ code, email, isRecovery }: { code: string; email: string; isRecovery: boolean }) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  const { phase, act } = useLinkAction(async () => {
    const { changeEmailByLink } = await import('@/lib/browser/account/email-change-link');
    return changeEmailByLink(env, code, { email, use: isRecovery ? 'recovery' : 'main' });
  });
  if (phase === 'done') {
    return (
      <AuthLayout
        step="done"
        heading={isRecovery ? t('changeEmail.recoveryDoneHeading') : t('changeEmail.doneHeading')}
        lead={isRecovery ? t('changeEmail.recoveryDoneLead') : t('changeEmail.doneLead')}
      >
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
    <AuthLayout
      heading={isRecovery ? t('changeEmail.recoveryHeading') : t('changeEmail.heading')}
      lead={
        isRecovery
          ? t('changeEmail.recoveryLead', { email: toDisplayEmail(email) })
          : t('changeEmail.lead', { email: toDisplayEmail(email) })
      }
    >
      <div className={styles.stack}>
        {phase === 'failed' && <Notice tone="error">{t('changeEmail.failed')}</Notice>}
        <Button
          busy={phase === 'busy'}
          busyLabel={isRecovery ? t('undoEmailChange.busy') : t('changeEmail.busy')}
          onClick={act}
        >
          {t('changeEmail.button')}
        </Button>
      </div>
    </AuthLayout>
  );
}

/** @param email the one of the mailbox with the link @param effect what the button does */
function Undo({ code, email, effect }: { code: string; email: string; effect: Effect }) {
  const { t } = useMessages('actions');
  const [done, setDone] = useState<Effect>('cancel');
  const { phase, act } = useLinkAction(
    () => undoEmailChange(code),
    (result) => setDone(result.done),
  );
  if (phase === 'done') {
    const [heading, lead] = DONE[done];
    return (
      <AuthLayout heading={t(`undoEmailChange.${heading}`)} lead={t(`undoEmailChange.${lead}`)}>
        <ButtonLink kind="primary" href={paths.forgetPassword}>
          {t('keep.reset')}
        </ButtonLink>
      </AuthLayout>
    );
  }
  if (phase === 'expired' || phase === 'taken') return <Ended mode="undoEmailChange" state={phase} />;
  if (phase === 'invalid') return <Ended mode="undoEmailChange" state="ended" />;
  const [heading, lead, button] = OFFERED[effect];
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

const OFFERED = {
  cancel: ['heading', 'lead', 'button'],
  restore: ['restoreHeading', 'restoreLead', 'restoreButton'],
  remove: ['removeHeading', 'removeLead', 'removeButton'],
} as const;

const DONE = {
  cancel: ['doneHeading', 'doneLead'],
  restore: ['restoredHeading', 'restoredLead'],
  remove: ['removedHeading', 'restoredLead'],
} as const;

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
