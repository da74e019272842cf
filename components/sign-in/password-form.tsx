import { Suspense, useEffect, useId, useRef, useState } from 'react';
import { EmailHint, useCarriedEmail } from '@/components/account-forms/email-hint';
import { SignInFailureNotice } from '@/components/account-forms/sign-in-failure-notice';
import { useRepeat } from '@/components/account-forms/use-repeat';
import styles from '@/components/providers/methods.module.css';
import { Button } from '@/components/ui/button';
import { EmailField, PasswordField } from '@/components/ui/form/fields';
import { Form, isBusy, useFlowForm } from '@/components/ui/form/form';
import { PageLink } from '@/components/ui/page-link';
import { carriedEmail, carryTypedEmail } from '@/lib/browser/account/carried-email';
import { signInRules, type SignInValues } from '@/lib/browser/account/sign-in-rules';
import { type SignInFailure, isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { loadPasswordSignIn } from '@/lib/browser/auth/sign-in/load-sign-in';
import { isSharedComputer, setSharedComputer } from '@/lib/browser/auth/sign-in/this-device';
import { usePublicEnv } from '@/lib/browser/config/context';
import { lazyWithFallback, useAttempt, useClientValue, useFirstFocus, whenIdle } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

const OrganizationOffer = lazyWithFallback(async () => ({ default: (await import('./late-parts')).OrganizationOffer }));

export function PasswordForm() {
  const { t } = useMessages('sign-in');
  const env = usePublicEnv();
  /** Number of failed attempts on this page. */
  const [tries, setTries] = useState(0);
  const form = useFlowForm<SignInValues, SignInFailure>({
    schema: signInRules,
    submit: async ({ email, password }) => {
      begin();
      carriedEmail.set(email);
      const { signInWithPassword } = await loadPasswordSignIn();
      const failure = await signInWithPassword(env, email, password);
      if (failure && isCredentialFailure(failure.code)) setTries(tries + 1);
      return failure;
    },
  });
  // A sign-in loads the code again.
  const approach = () => void loadPasswordSignIn().catch(() => undefined);
  // A password manager may fill in the form, so the first touch of the page can be the button.
  useEffect(() => whenIdle(approach), []);
  const { fields, phase } = form;
  const begin = useAttempt(form.reset);
  const wait = useRepeat(form);
  useCarriedEmail(fields);
  useFirstFocus('email');
  return (
    <Form label={t('form')} flow={form} onApproach={approach}>
      {phase.name === 'failed' && (
        <>
          <SignInFailureNotice failure={phase.failure} tries={tries} wait={wait} onExpire={form.reset} />
          <Suspense>{isCredentialFailure(phase.failure.code) && <OrganizationOffer />}</Suspense>
        </>
      )}
      <EmailField
        form={fields}
        name="email"
        label={t('common:fields.email')}
        hint={<EmailHint form={fields} />}
        autoComplete={env.passkeys ? 'username webauthn' : 'username'}
      />
      <div className={styles.credentials}>
        <PasswordField
          form={fields}
          name="password"
          label={t('common:fields.password')}
          autoComplete="current-password"
        />
        <Button type="submit" busy={isBusy(phase)} busyLabel={t('signingIn')}>
          {t('signIn')}
        </Button>
        {/* After the button in the order of the Tab key. The style puts it on the line of the label. */}
        <p>
          <PageLink href={paths.forgetPassword} onClick={carryTypedEmail}>
            {t('forgotPassword')}
          </PageLink>
        </p>
      </div>
      <SharedComputer />
    </Form>
  );
}

/** For libraries and classrooms. The session ends with the browser and leaves no data, for every sign-in method. */
export function SharedComputer() {
  const { t } = useMessages('sign-in');
  const env = usePublicEnv();
  const hintId = useId();
  const [chosen, setChosen] = useState<boolean | null>(null);
  const kept = useClientValue(isSharedComputer, false);
  const choose = (shared: boolean) => {
    setSharedComputer(env, shared);
    setChosen(shared);
  };
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // It was checked before hydration. No event fires for it, and the next render would uncheck it.
    if (box.current?.checked && !isSharedComputer()) choose(true);
    // Runs once, after hydration.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return (
    <div>
      <label className={styles.tick}>
        <input
          ref={box}
          type="checkbox"
          checked={chosen ?? kept}
          aria-describedby={hintId}
          onChange={(event) => choose(event.target.checked)}
        />
        <span>{t('shared.label')}</span>
      </label>
      <p className={styles.soft} id={hintId}>
        {t('shared.hint')}
      </p>
    </div>
  );
}
