import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { EmailHint } from '@/components/account-forms/email-hint';
import { NewPasswordField } from '@/components/account-forms/new-password-fields';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { useCarriedEmail, useCarriedValue } from '@/components/account-forms/use-carried-email';
import { useFirstFocus } from '@/components/account-forms/use-first-focus';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { EmailField, TextField } from '@/components/ui/form/text-field';
import { isBusy } from '@/components/ui/form/use-flow-form';
import { PageLink } from '@/components/ui/page-link';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useClientValue } from '@/lib/browser/use-client-value';
import { useMessages } from '@/lib/browser/use-messages';
import { getCarriedName } from '@/lib/browser/account/carried-email';
import { paths } from '@/lib/shared/paths';
import styles from './registration.module.css';
import { useRegistrationForm } from './use-registration-form';

export function RegistrationForm() {
  const { t } = useMessages('registration');
  const env = usePublicEnv();
  const [byPasskey, setByPasskey] = useState(false);
  const hasMeans = useClientValue(() => 'PublicKeyCredential' in window, true);
  const form = useRegistrationForm(byPasskey);
  const { fields, phase } = form;
  const email: string | undefined = useWatch({ control: fields.control, name: 'email' });
  useCarriedEmail(fields);
  useCarriedValue(fields, 'name', getCarriedName);
  // Who comes back from the code page corrects the address.
  const [first] = useState(() => (getCarriedName() === '' ? 'name' : 'email'));
  useFirstFocus(first);
  return (
    <Form label={t('form')} flow={form}>
      {phase.name === 'failed' && (
        <ProblemNotice failure={phase.failure} onExpire={form.reset}>
          {phase.failure.code === 'email-taken' && <PageLink href={paths.signIn}>{t('signIn')}</PageLink>}
        </ProblemNotice>
      )}
      <TextField form={fields} name="name" label={t('name.label')} autoComplete="name" />
      <EmailField form={fields} name="email" label={t('common:fields.email')} hint={<EmailHint form={fields} />} />
      {byPasskey ? (
        <p className={styles.soft}>{t('passkey.next')}</p>
      ) : (
        <NewPasswordField form={fields} email={email ?? ''} label={t('common:fields.password')} />
      )}
      {env.passkeys && hasMeans && (
        <div className={styles.choice}>
          <Button kind="quiet" onClick={() => setByPasskey(!byPasskey)}>
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

/** What the learner agrees to, if the brand has configured it. */
function LegalLinks() {
  const { t } = useMessages('registration');
  const config = useAppConfig();
  if (config?.termsUrl === undefined && config?.privacyUrl === undefined) return null;
  return (
    <p className={styles.soft}>
      {t('legal.agree')} {config.termsUrl !== undefined && <a href={config.termsUrl}>{t('legal.terms')}</a>}
      {config.termsUrl !== undefined && config.privacyUrl !== undefined && ` ${t('legal.and')} `}
      {config.privacyUrl !== undefined && <a href={config.privacyUrl}>{t('legal.privacy')}</a>}.
    </p>
  );
}
