import { useTranslation } from 'next-i18next/pages';
import { Suspense, useEffect } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import { FullScreenLoader } from '@/components/layout/full-screen-loader';
import { ButtonLink } from '@/components/ui/button';
import type { EmailAction } from '@/lib/account/email-action';
import { latePart } from '@/lib/late-part';
import { paths } from '@/lib/paths';
import { DeadLink, Unreachable } from './dead-link';
import { LinkSignIn } from './link-sign-in';
import { useEmailAction } from './use-email-action';
import { Confirmed, VerifyPanel } from './verify-panel';

const resetPanel = () => import('./reset-panel');
const ResetPanel = latePart(resetPanel, NotLoaded);
const OtherPerson = latePart(() => import('./other-person'), NotLoaded);

type AskedFor = { confirmation: string | null; signIn: string | null };
type Props = { action: EmailAction | null; askedFor: AskedFor };

/** The page behind every link in our mails (product decisions, 6). */
export function ActionScreen({ action, askedFor }: Props) {
  const { t } = useTranslation('actions');
  if (action)
    return (
      <Suspense fallback={<FullScreenLoader />}>
        <OpenedLink action={action} askedFor={askedFor} />
      </Suspense>
    );
  return (
    <AuthLayout heading={t('empty.heading')} lead={t('empty.lead')}>
      <ButtonLink kind="primary" href={paths.signIn}>
        {t('dead.signIn')}
      </ButtonLink>
    </AuthLayout>
  );
}

function OpenedLink({ action, askedFor }: { action: EmailAction; askedFor: AskedFor }) {
  const { state, inspect, switchPerson } = useEmailAction(action, askedFor.signIn);
  const resets = action.mode === 'resetPassword';
  useEffect(() => {
    // On its way while the link is looked at; whoever needs it asks again.
    if (resets) resetPanel().catch(() => undefined);
  }, [resets]);
  switch (state.name) {
    case 'checking':
      return <FullScreenLoader />;
    case 'confirmed':
      return <Confirmed />;
    case 'dead':
      return <DeadLink action={action} code={state.code} canResend={askedFor.confirmation !== null} />;
    case 'unreachable':
      return <Unreachable code={state.code} onAgain={() => void inspect()} />;
    case 'other-person':
      return <OtherPerson {...state} onSwitch={switchPerson} />;
    case 'ready':
      if (action.mode === 'signIn') return <LinkSignIn action={action} email={state.email} />;
      if (resets) return <ResetPanel action={action} email={state.email ?? ''} />;
      return (
        <VerifyPanel action={action} email={state.email ?? ''} askedHere={askedFor.confirmation === state.email} />
      );
  }
}

function NotLoaded() {
  return <Unreachable code="auth/network-request-failed" onAgain={() => window.location.reload()} />;
}
