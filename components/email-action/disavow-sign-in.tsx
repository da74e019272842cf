import { useRouter } from 'next/router';
import { useState } from 'react';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { disavowSignIn, requestPasswordReset } from '@/lib/browser/account/api';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { displayDay, displayMoment } from '@/lib/browser/dates';
import { refreshSessionHint } from '@/lib/browser/session/state';
import { useCall } from '@/lib/browser/use-call';
import { useClientValue } from '@/lib/browser/hooks';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import type { AnnouncedSignIn } from '@/lib/shared/account/email-action';
import { paths, pathWithFlow } from '@/lib/shared/paths';
import { Unreachable } from './unusable-link';
import { useLinkAction } from './use-email-action';

type Props = { code: string; signIn: AnnouncedSignIn | null };

/** A link that disavows a sign-in. Opening it changes nothing, because email scanners also open links. */
export function DisavowSignIn({ code, signIn }: Props) {
  if (signIn === null || signIn.state === 'unavailable')
    return <Unreachable code="unknown" onRetry={() => window.location.reload()} />;
  if (signIn.state === 'open') return <Open code={code} signIn={signIn} />;
  return signIn.state === 'done' ? <Done email={null} /> : <Ended state={signIn.state} />;
}

function Open({ code, signIn }: { code: string; signIn: Extract<AnnouncedSignIn, { state: 'open' }> }) {
  const { t } = useMessages('actions');
  const [owner, setOwner] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  // This browser may be signed out, too. Then a session check would leave the page before the new password is set.
  const { phase, act } = useLinkAction(
    () => disavowSignIn(code),
    ({ email, asksMailbox = false }) => {
      setAsked(asksMailbox);
      // Used by the reset code, which comes next.
      if (email) {
        carriedEmail.set(email);
        setOwner(email);
      }
      refreshSessionHint();
    },
  );
  const { at, browser, system } = signIn;
  const language = useLanguage();
  const date = useClientValue(() => displayMoment(at, language), displayDay(at, language, 'UTC'));
  const client = browser && system ? t('disavow.client', { browser, system }) : (browser ?? system);
  if (phase === 'done') return isAsked ? <Asked /> : <Done email={owner} />;
  if (phase === 'expired' || phase === 'invalid') return <Ended state={phase} />;
  return (
    <AuthLayout
      heading={t('disavow.heading')}
      lead={t('disavow.lead', { date, client: client ?? t('disavow.unknown') })}
      showsContext={false}
    >
      <div className={styles.stack}>
        <p>{t('disavow.text')}</p>
        {phase === 'failed' && <Notice tone="error">{t('disavow.failed')}</Notice>}
        <Button kind="danger" busy={phase === 'busy'} busyLabel={t('disavow.busy')} onClick={act}>
          {t('disavow.button')}
        </Button>
        <p>{t('disavow.you')}</p>
      </div>
    </AuthLayout>
  );
}

/** The account has changed since the sign-in, so the owner continues with another email. */
function Asked() {
  const { t } = useMessages('actions');
  return (
    <AuthLayout heading={t('disavow.askedHeading')} lead={t('disavow.askedLead')}>
      <div className={styles.stack}>
        <ButtonLink href={paths.security}>{t('disavow.account')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}

/**
 * @param email the account's email, to which a code is sent at once; null after a reload, so that the form asks for it
 */
function Done({ email }: { email: string | null }) {
  const { t } = useMessages('actions');
  return (
    <AuthLayout heading={t('disavow.doneHeading')} lead={t('disavow.doneLead')}>
      <div className={styles.stack}>
        {email === null ? (
          <ButtonLink kind="primary" href={paths.forgetPassword}>
            {t('disavow.reset')}
          </ButtonLink>
        ) : (
          <SendCode email={email} />
        )}
        <p>{t('disavow.doneText')}</p>
      </div>
    </AuthLayout>
  );
}

function SendCode({ email }: { email: string }) {
  const { t } = useMessages('actions');
  const router = useRouter();
  const { phase, failure, act, reset } = useCall(
    () => requestPasswordReset(email),
    ({ flow }) => router.push(pathWithFlow(paths.forgetPasswordInstructions, flow)),
  );
  return (
    <>
      {phase === 'failed' && failure && <ProblemNotice failure={failure} hasForm={false} onExpire={reset} />}
      <Button busy={phase === 'busy'} busyLabel={t('disavow.sending')} onClick={act}>
        {t('disavow.reset')}
      </Button>
    </>
  );
}

function Ended({ state }: { state: 'expired' | 'invalid' }) {
  const { t } = useMessages('actions');
  return (
    <AuthLayout
      heading={state === 'invalid' ? t('empty.heading') : t('disavow.endedHeading')}
      lead={t(`disavow.${state}Lead`)}
    >
      <div className={styles.stack}>
        <ButtonLink kind="primary" href={paths.security}>
          {t('disavow.account')}
        </ButtonLink>
        <ButtonLink href={paths.forgetPassword}>{t('disavow.reset')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}
