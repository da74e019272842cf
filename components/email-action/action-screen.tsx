import { Suspense, useEffect } from 'react';
import type {
  AnnouncedSignIn,
  EmailAction,
  EmailVerification,
  LinkedEmailChange,
  ProviderAction,
  ScheduledChange,
} from '@/lib/shared/account/email-action';
import {
  AccountMismatch,
  CheckingLink,
  IncompleteLink,
  preloadPanels,
  ResetOver,
  ResetPanel,
  Unreachable,
  UnusableLink,
} from './unusable-link';
import { CancelScheduled } from './cancel-scheduled';
import { EmailChangeLink } from './email-change-link';
import { DisavowSignIn } from './disavow-sign-in';
import { LinkSignIn } from './link-sign-in';
import { useEmailAction } from './use-email-action';
import { VerifyLink } from './verify-link';

type AskedFor = { confirmation: string | null; signIn: string | null };
type Props = {
  action: EmailAction | null;
  verification: EmailVerification | null;
  scheduled: ScheduledChange | null;
  emailChange: LinkedEmailChange | null;
  signIn: AnnouncedSignIn | null;
  askedFor: AskedFor;
};

/** The page for every link in our emails (docs/product.md#screens). */
export function ActionScreen({ action, verification, scheduled, emailChange, signIn, askedFor }: Props) {
  if (!action) return <IncompleteLink />;
  if (action.mode === 'keepAccount' || action.mode === 'keepSecondFactor')
    return <CancelScheduled {...action} scheduled={scheduled} />;
  if (action.mode === 'changeEmail' || action.mode === 'undoEmailChange')
    return <EmailChangeLink {...action} change={emailChange} />;
  if (action.mode === 'resetPassword' && action.isOver) return <ResetOver />;
  if (action.mode === 'disavowSignIn') return <DisavowSignIn code={action.code} signIn={signIn} />;
  return (
    <Suspense fallback={<CheckingLink mode={action.mode} />}>
      {action.mode === 'verifyEmail' ? (
        <VerifyLink code={action.code} verification={verification} canResend={askedFor.confirmation !== null} />
      ) : (
        <OpenedLink action={action} expected={askedFor.signIn} />
      )}
    </Suspense>
  );
}

function OpenedLink({ action, expected }: { action: ProviderAction; expected: string | null }) {
  const { state, retry, switchUser } = useEmailAction(action, expected);
  const resets = action.mode === 'resetPassword';
  useEffect(() => {
    if (resets) preloadPanels();
  }, [resets]);
  switch (state.name) {
    case 'checking':
      return <CheckingLink mode={action.mode} />;
    case 'unusable':
      return <UnusableLink mode={action.mode} code={state.code} />;
    case 'unreachable':
      return <Unreachable code={state.code} onRetry={retry} />;
    case 'account-mismatch':
      return <AccountMismatch {...state} onSwitch={switchUser} />;
    case 'ready':
      if (action.mode === 'signIn') return <LinkSignIn action={action} email={state.email} />;
      return <ResetPanel action={action} email={state.email ?? ''} />;
  }
}
