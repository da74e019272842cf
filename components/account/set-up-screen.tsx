import { useEffect, useRef, type ReactNode } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { PageLink } from '@/components/ui/page-link';
import { getMethodToConfirm } from '@/lib/browser/account/carried-email';
import { goOn, goToCallback } from '@/lib/browser/callback';
import { useBrand, usePublicEnv } from '@/lib/browser/config/context';
import { displayDate } from '@/lib/browser/dates';
import { putSetUpOff } from '@/lib/browser/second-factor/offer';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import type { SetUpReason, AccountSecurity } from '@/lib/shared/account/security';
import { paths } from '@/lib/shared/paths';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { isOver } from './change';
import { FactorFailureNotice } from './factor-code-fields';
import { FactorPanel, preloadPanels, useSecondFactor } from './factor-panels';

type Props = {
  reason: SetUpReason;
  account: AccountSecurity | null;
  /** The button that signs in with the account's passkey instead, which counts as two factors. */
  passkey: ReactNode;
};

/** Sets the second factor up before the destination, because it is or will be required, or the platform requires it. */
export function SetUpScreen({ reason, account, passkey }: Props) {
  const { t } = useMessages('set-up-second-factor');
  const env = usePublicEnv();
  const isOver = reason.name === 'none' || account === null;
  useEffect(() => {
    if (isOver) goToCallback(env);
  }, [isOver, env]);
  if (isOver) return <AuthLayout heading={t('heading')}>{null}</AuthLayout>;
  return <SetUp reason={reason} account={account} passkey={passkey} />;
}

function SetUp({ reason, account, passkey }: Omit<Props, 'account'> & { account: AccountSecurity }) {
  const { t } = useMessages('set-up-second-factor');
  const env = usePublicEnv();
  const lead = useLead(reason);
  const waits = reason.name === 'required';
  const change = { kind: 'add', ...(waits && { signIn: 'waiting' as const }) } as const;
  const hook = useSecondFactor(account, 0, (signIn = {}) => {
    // The account has no password, so the user adds a passkey next (lib/browser/auth/sign-in/finish-registration.ts).
    if (waits && getMethodToConfirm(account.email ?? '') === PASSKEY_METHOD) window.location.assign(paths.addPasskey);
    else goOn(env, signIn);
  });
  const { phase } = hook;
  const failure = phase.name === 'failed' ? phase.failure : undefined;
  const isExpired = failure?.factor === 'sign-in-expired';
  const signInAgain = useRef<HTMLAnchorElement>(null);
  // It replaces the button, which would get the focus after other failures.
  useEffect(() => {
    if (isExpired) signInAgain.current?.focus();
  }, [isExpired]);
  if (phase.name !== 'opening' && !isOver(phase))
    return (
      <AuthLayout heading={t('heading')} lead={lead}>
        <FactorPanel account={account} hook={hook} />
      </AuthLayout>
    );
  const { busy, ...button } = hook.getButton(change);
  return (
    <AuthLayout heading={t('heading')} lead={lead}>
      <div className={styles.stack}>
        {failure && <FactorFailureNotice failure={failure} />}
        {isExpired ? (
          <ButtonLink ref={signInAgain} kind="primary" href={paths.signIn}>
            {t('common:signInAgain')}
          </ButtonLink>
        ) : (
          <Button
            {...button}
            busy={busy || phase.name === 'done'}
            busyLabel={t('two-step-verification:working')}
            onPointerEnter={preloadPanels}
            onFocus={preloadPanels}
          >
            {t('two-step-verification:setUp')}
          </Button>
        )}
        {reason.name !== 'announced' && account.passkeys > 0 && passkey}
        {reason.name === 'announced' && (
          <Button
            kind="secondary"
            onClick={() => {
              putSetUpOff();
              goToCallback(env);
            }}
          >
            {t('notNow')}
          </Button>
        )}
        <p className={styles.soft}>{t('what')}</p>
        {waits && (
          <div className={styles.links}>
            <PageLink href={paths.signIn}>{t('back')}</PageLink>
          </div>
        )}
      </div>
    </AuthLayout>
  );
}

function useLead(reason: SetUpReason): string {
  const { t } = useMessages('set-up-second-factor');
  const language = useLanguage();
  const brand = useBrand().name;
  switch (reason.name) {
    case 'required':
      return t('required', { who: reason.organization ?? brand });
    case 'announced':
      return t('announced', {
        who: reason.organization ?? brand,
        date: displayDate(reason.from, language) ?? reason.from,
      });
    default:
      return t('stepUp', { brand });
  }
}
