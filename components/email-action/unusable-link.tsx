import { AuthLayout } from '@/components/layout/auth-layout';
import flow from '@/components/layout/flow.module.css';
import { FullScreenLoader } from '@/components/layout/page-frame';
import { Button, ButtonLink } from '@/components/ui/button';
import { PageTitle } from '@/components/ui/page-title';
import { useBrand } from '@/lib/browser/config/context';
import type { ActionMode } from '@/lib/shared/account/email-action';
import { errorTextKey, type AuthErrorCode } from '@/lib/browser/auth/sign-in/error-codes';
import { PageReady } from '@/lib/browser/page-start';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { lazyWithFallback } from '@/lib/browser/hooks';

type CheckedMode = Extract<ActionMode, 'resetPassword' | 'signIn' | 'verifyEmail'>;

/**
 * Shown until the link's target is known. It is a separate screen with a title, so that the focus moves to the next
 * screen's heading.
 */
export function CheckingLink({ mode }: { mode: CheckedMode }) {
  const { t } = useMessages('actions');
  const brand = useBrand().name;
  const headings = {
    resetPassword: t('heading.resetPassword'),
    signIn: t('heading.signIn'),
    verifyEmail: t('heading.verifyEmail'),
  };
  return (
    <PageTitle title={t('common:title.page', { page: headings[mode], brand })}>
      <FullScreenLoader />
      <PageReady />
    </PageTitle>
  );
}

type Props = {
  mode: ActionMode;
  code: AuthErrorCode;
  /** Whether this browser has a pending registration, for which a new code can be sent. */
  canResend?: boolean;
};

/** An expired, used or invalid link. It shows the reason and a button for the next step. */
export function UnusableLink({ mode, code, canResend = false }: Props) {
  const { t } = useMessages('actions');
  const next = getNextStep(mode, canResend);
  const labels: Partial<Record<string, string>> = {
    [paths.emailLink]: t('dead.newLink'),
    [paths.registration]: t('dead.register'),
  };
  // The link's reader controls the mailbox. Unlike for a password, the page does not have to hide the account.
  const reason = code === 'auth/user-disabled' ? 'auth/account-disabled' : code;
  const isExpired = next === paths.registration && code === 'EXPIRED_OOB_CODE';
  return (
    <AuthLayout heading={t('dead.heading')} lead={isExpired ? t('dead.expiredRegistration') : t(errorTextKey(reason))}>
      <div className={flow.stack}>
        <ButtonLink kind="primary" href={next}>
          {labels[next] ?? t('dead.newCode')}
        </ButtonLink>
        <ButtonLink href={paths.signIn}>{t('dead.signIn')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}

/** A reset link of a user who has chosen a new password since, by the code of the same email or by another link. */
export function ResetOver() {
  const { t } = useMessages('actions');
  return (
    <AuthLayout heading={t('reset.overHeading')} lead={t('reset.overLead')}>
      <div className={flow.stack}>
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('dead.signIn')}
        </ButtonLink>
        <ButtonLink href={paths.forgetPassword}>{t('dead.newCode')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}

/** Returns where to request a new link. Without its link or code, a registration begins again. */
function getNextStep(mode: ActionMode, canResend: boolean): string {
  if (mode === 'resetPassword') return paths.forgetPassword;
  if (mode !== 'verifyEmail') return paths.emailLink;
  return canResend ? paths.registrationConfirm : paths.registration;
}

/** A URL without a readable link, for example because an email program has truncated it. */
export function IncompleteLink() {
  const { t } = useMessages('actions');
  return (
    <AuthLayout heading={t('empty.heading')} lead={t('empty.lead')}>
      <ButtonLink kind="primary" href={paths.signIn}>
        {t('dead.signIn')}
      </ButtonLink>
    </AuthLayout>
  );
}

export function Unreachable({ code, onRetry }: { code: AuthErrorCode; onRetry: () => void }) {
  const { t } = useMessages('actions');
  return (
    <AuthLayout heading={t('unreachable.heading')} lead={t(errorTextKey(code))}>
      <Button onClick={onRetry}>{t('unreachable.again')}</Button>
    </AuthLayout>
  );
}

const loadPanels = () => import('./panels');

export const ResetPanel = lazyWithFallback(async () => ({ default: (await loadPanels()).ResetPanel }), NotLoaded);
export const PasswordVerifyPanel = lazyWithFallback(
  async () => ({ default: (await loadPanels()).PasswordVerifyPanel }),
  NotLoaded,
);
export const AccountMismatch = lazyWithFallback(
  async () => ({ default: (await loadPanels()).AccountMismatch }),
  NotLoaded,
);

/** Loads the panels while the link is checked. Errors are ignored, because the component loads it again. */
export function preloadPanels(): void {
  loadPanels().catch(() => undefined);
}

function NotLoaded() {
  return <Unreachable code="auth/network-request-failed" onRetry={() => window.location.reload()} />;
}
