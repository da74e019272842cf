import { Suspense, useState, useEffect } from 'react';
import below from '@/components/account-forms/below.module.css';
import { SignInFailureNotice } from '@/components/account-forms/sign-in-failure-notice';
import { useRepeat } from '@/components/account-forms/use-repeat';
import { AuthLayout } from '@/components/layout/auth-layout';
import { getMethodName, isOrganization, SOCIAL_PROVIDER_IDS, SOCIAL_PROVIDERS } from '@/lib/shared/sign-in-methods';
import { describeLanguage } from '@/lib/shared/i18n/languages';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { Button, ButtonLink } from '@/components/ui/button';
import { PageLink } from '@/components/ui/page-link';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { type PendingLink, getPendingLink } from '@/lib/browser/auth/pending';
import { useEnabledIdentities, usePublicEnv } from '@/lib/browser/config/context';
import {
  ProviderButtons,
  ProviderStatus,
  isProviderBusy,
  useProviderSignIn,
} from '@/components/providers/provider-sign-in';
import { useOfferedProviders } from '@/components/providers/offered-providers';
import styles from '@/components/providers/methods.module.css';
import { Form, isBusy, useFlowForm } from '@/components/ui/form/form';
import { PasswordField, EmailField } from '@/components/ui/form/fields';
import { signInRules, type SignInValues } from '@/lib/browser/account/sign-in-rules';
import { type SignInFailure, isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { signInWithPassword } from '@/lib/browser/auth/sign-in/password';
import { lazyWithFallback, useAttempt } from '@/lib/browser/hooks';
import { paths } from '@/lib/shared/paths';
import { BackToSignIn } from './back-to-sign-in';

/**
 * Handles `auth/account-exists-with-different-credential`: the user signs in to the existing account to link the new
 * method.
 */
export function LinkAccountScreen() {
  const { t } = useMessages('link-account');
  // Undefined until it was read in the browser. Leaving the page ends the flow
  // (components/session/session-bootstrap.tsx).
  const [link, setLink] = useState<PendingLink | null>();
  useEffect(() => queueMicrotask(() => setLink(getPendingLink())), []);
  return (
    <AuthLayout heading={t('heading')} lead={getLead()} showsContext={link !== null}>
      {link && <LinkAccount link={link} />}
      {/* Render it after the content above it, which would otherwise move it under a click. */}
      {link && <BackToSignIn />}
      {link === null && (
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('not-found:toSignIn')}
        </ButtonLink>
      )}
    </AuthLayout>
  );

  function getLead(): string {
    if (link) return t('lead', { email: link.email, provider: getMethodName(link.provider) });
    return link === null ? t('nothing') : '';
  }
}

const EmbeddedNotice = lazyWithFallback(() => import('@/components/providers/embedded-notice'));

/** The sign-in methods of the existing account if known, otherwise all methods of this origin. */
function LinkAccount({ link }: { link: PendingLink }) {
  const { t } = useMessages('link-account');
  const { comma } = describeLanguage(useLanguage());
  const enabled = useEnabledIdentities();
  const signIn = useProviderSignIn();
  const hasMethods = link.methods.length > 0;
  const byPassword = hasMethods ? link.methods.includes('password') : enabled.includes('password');
  const { visible, more, withoutGoogle } = useOfferedProviders(
    SOCIAL_PROVIDER_IDS.filter((id) =>
      hasMethods
        ? link.methods.includes(SOCIAL_PROVIDERS[id].firebaseId)
        : enabled.includes(id) && id !== link.provider,
    ),
  );
  const providers = [...visible, ...more];
  const getName = (id: string) => {
    if (id === 'password') return t('password');
    return isOrganization(id) ? t('providers:sso') : getMethodName(id);
  };
  return (
    <div className={styles.methods}>
      <ProviderStatus signIn={signIn} />
      <Suspense>{withoutGoogle && <EmbeddedNotice />}</Suspense>
      {hasMethods && (
        <p>
          {t('methods', {
            methods: link.methods.map(getName).join(comma),
          })}
        </p>
      )}
      {byPassword && <LinkPasswordForm email={link.email} />}
      {link.methods.filter(isOrganization).map((id) => (
        <Button
          key={id}
          kind="secondary"
          busy={isProviderBusy(signIn.phase, id)}
          busyLabel={t('sign-in:signingIn')}
          onClick={(event) => signIn.press(id, event.currentTarget)}
        >
          {t('common:continueWith', { provider: t('providers:sso') })}
        </Button>
      ))}
      {providers.length > 0 && <ProviderButtons providers={providers} lastUsed={null} signIn={signIn} />}
      {!hasMethods && enabled.includes('enterprise') && (
        <p className={styles.way}>
          <PageLink href={paths.enterprise} onClick={() => carriedEmail.set(link.email)}>
            {t('providers:enterprise')}
          </PageLink>
        </p>
      )}
      {/* These methods leave no user of the identity provider in this tab that could be linked. */}
      {!hasMethods && byPassword && (
        <p className={styles.soft}>{t('unlisted', { provider: getMethodName(link.provider) })}</p>
      )}
    </div>
  );
}

/** Signs in to the existing account with its password. A wrong password can be retried. */
function LinkPasswordForm({ email }: { email: string }) {
  const { t } = useMessages('link-account');
  const env = usePublicEnv();
  const [tries, setTries] = useState(0);
  const form = useFlowForm<SignInValues, SignInFailure>({
    schema: signInRules,
    defaults: { email },
    submit: async ({ password }) => {
      begin();
      const failure = await signInWithPassword(env, email, password);
      if (failure && isCredentialFailure(failure.code)) setTries((count) => count + 1);
      return failure;
    },
  });
  const { fields, phase } = form;
  const begin = useAttempt(form.reset);
  const wait = useRepeat(form);
  return (
    <Form label={t('form')} flow={form}>
      {phase.name === 'failed' && (
        <SignInFailureNotice failure={phase.failure} tries={tries} wait={wait} onExpire={form.reset} />
      )}
      <EmailField form={fields} name="email" label={t('common:fields.email')} readOnly />
      <PasswordField
        form={fields}
        name="password"
        label={t('common:fields.password')}
        autoComplete="current-password"
      />
      <p className={below.below}>
        <PageLink href={paths.forgetPassword} onClick={() => carriedEmail.set(email)}>
          {t('sign-in:forgotPassword')}
        </PageLink>
      </p>
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('sign-in:signingIn')}>
        {t('submit')}
      </Button>
    </Form>
  );
}
