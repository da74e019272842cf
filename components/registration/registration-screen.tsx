import { useState, Suspense } from 'react';
import { useWatch } from 'react-hook-form';
import { useRouter } from 'next/router';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { PageLink } from '@/components/ui/page-link';
import { useMessages } from '@/lib/browser/use-messages';
import { paths, pathWithFlow } from '@/lib/shared/paths';
import { EmailHint, useCarriedEmail, useCarriedValue } from '@/components/account-forms/email-hint';
import { NameField } from '@/components/account-forms/name-field';
import { NewPasswordField } from '@/components/account-forms/new-password-fields';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { Form, isBusy, useFlowForm } from '@/components/ui/form/form';
import { EmailField } from '@/components/ui/form/fields';
import { useAppConfig, useEnabledIdentities, usePublicEnv } from '@/lib/browser/config/context';
import { lazyWithFallback, useAttempt, useClientValue, useFirstFocus } from '@/lib/browser/hooks';
import { carriedEmail, carriedName, carriedWay, carryTypedEmail } from '@/lib/browser/account/carried-email';
import { Divider, MoreWays, useOfferedProviders } from '@/components/providers/offered-providers';
import { ProviderButtons, ProviderStatus, useProviderSignIn } from '@/components/providers/provider-sign-in';
import methodsStyles from '@/components/providers/methods.module.css';
import { registerAccount, type CallFailure } from '@/lib/browser/account/api';
import type { RegistrationValues } from '@/lib/shared/account/registration-schema';
import registrationStyles from './registration.module.css';

/** Creates an account (docs/product.md#screens). */
export function RegistrationScreen({ bounced }: { bounced?: boolean | null }) {
  const { t } = useMessages('registration');
  const enabled = useEnabledIdentities();
  if (bounced) return <RedirectLoopScreen />;
  return (
    <AuthLayout
      heading={t('heading')}
      aside={
        <p className={styles.aside}>
          <span>{`${t('haveAccount')} `}</span>
          <PageLink href={paths.signIn} onClick={carryTypedEmail}>
            {t('signIn')}
          </PageLink>
        </p>
      }
    >
      {enabled.includes('password') && <RegistrationForm />}
      <RegistrationProviders enabled={enabled} />
    </AuthLayout>
  );
}

function RegistrationForm() {
  const { t } = useMessages('registration');
  const env = usePublicEnv();
  /** Whether to register without a password. The user creates a passkey after confirming the email. */
  const [chosen, setByPasskey] = useState<boolean | null>(null);
  const carriedByPasskey = useClientValue(() => carriedWay.get() !== '', false);
  const byPasskey = chosen ?? carriedByPasskey;
  const hasMeans = useClientValue(() => 'PublicKeyCredential' in window, true);
  const router = useRouter();
  // The next step is the same whether or not the address is already registered.
  const form = useFlowForm<RegistrationValues, CallFailure>({
    schema: async () => {
      const { createRegistrationSchemas } = await import('@/lib/shared/account/registration-schema');
      const { passwordlessForm, withPassword } = createRegistrationSchemas(env.nameLength);
      return byPasskey ? passwordlessForm : withPassword;
    },
    submit: async (values) => {
      begin();
      carriedEmail.set(values.email);
      carriedName.set(values.name);
      carriedWay.set(byPasskey ? 'passkey' : '');
      const { name, email } = values;
      const answer = await registerAccount(byPasskey ? { name, email, passkey: true } : values);
      if (!answer.ok) return answer;
      await router.push(pathWithFlow(paths.registrationConfirm, answer.data.flow));
      return null;
    },
  });
  const { fields, phase } = form;
  const begin = useAttempt(form.reset);
  const email: string | undefined = useWatch({ control: fields.control, name: 'email' });
  useCarriedEmail(fields);
  useCarriedValue(fields, 'name', carriedName.get);
  // A user who comes back from the code page wants to correct the email address.
  const [first] = useState(() => (carriedName.get() === '' ? 'name' : 'email'));
  useFirstFocus(first);
  const changeWay = () => {
    setByPasskey(!byPasskey);
    // An error of the password is obsolete without its field.
    fields.clearErrors('password');
    form.reset();
  };
  return (
    <Form label={t('form')} flow={form}>
      {phase.name === 'failed' && (
        <ProblemNotice failure={phase.failure} hasForm onExpire={form.reset}>
          {phase.failure.code === 'email-taken' && (
            <p>
              <PageLink href={paths.signIn}>{t('signIn')}</PageLink>
              <span> </span>
              <PageLink href={paths.forgetPassword}>{t('forgotPassword')}</PageLink>
            </p>
          )}
        </ProblemNotice>
      )}
      <NameField form={fields} name="name" label={t('name.label')} />
      <EmailField form={fields} name="email" label={t('common:fields.email')} hint={<EmailHint form={fields} />} />
      {byPasskey ? (
        <p className={registrationStyles.soft}>{t('passkey.next')}</p>
      ) : (
        <NewPasswordField flow={form} email={email ?? ''} label={t('common:fields.password')} />
      )}
      {env.passkeys && hasMeans && (
        <div className={registrationStyles.choice}>
          <Button kind="quiet" inactive={isBusy(phase)} onClick={changeWay}>
            {byPasskey ? t('passkey.withPassword') : t('passkey.instead')}
          </Button>
        </div>
      )}
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('creating')}>
        {t('create')}
      </Button>
      <LegalLinks />
    </Form>
  );
}

/** Links to the terms that the learner accepts, if the brand has configured them. */
function LegalLinks() {
  const { t } = useMessages('registration');
  const config = useAppConfig();
  if (config?.termsUrl === undefined && config?.privacyUrl === undefined) return null;
  return (
    <p className={registrationStyles.soft}>
      <span>{`${t('legal.agree')} `}</span>
      {config.termsUrl !== undefined && <a href={config.termsUrl}>{t('legal.terms')}</a>}
      {config.termsUrl !== undefined && config.privacyUrl !== undefined && <span>{` ${t('legal.and')} `}</span>}
      {config.privacyUrl !== undefined && <a href={config.privacyUrl}>{t('legal.privacy')}</a>}
      <span>{t('legal.end')}</span>
    </p>
  );
}

const EmbeddedNotice = lazyWithFallback(() => import('@/components/providers/embedded-notice'));

/** The providers of /sign-in. The first sign-in with a provider creates the account. */
function RegistrationProviders({ enabled }: { enabled: readonly string[] }) {
  const { t } = useMessages('providers');
  const signIn = useProviderSignIn();
  const byPassword = enabled.includes('password');
  const { visible, more, withoutGoogle } = useOfferedProviders(enabled);
  if (visible.length + more.length === 0 && !withoutGoogle)
    return byPassword ? null : <Notice tone="info">{t('registration:none')}</Notice>;
  return (
    <div className={methodsStyles.methods}>
      {byPassword ? <Divider /> : <LegalLinks />}
      <ProviderStatus signIn={signIn} />
      <Suspense>{withoutGoogle && <EmbeddedNotice />}</Suspense>
      {visible.length > 0 && <ProviderButtons providers={visible} lastUsed={null} signIn={signIn} />}
      {more.length > 0 && (
        <MoreWays label={t('registration:moreWays')}>
          <ProviderButtons providers={more} lastUsed={null} signIn={signIn} />
        </MoreWays>
      )}
    </div>
  );
}
