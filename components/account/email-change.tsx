import { restartCode, useCodeEnd, useCodeForm } from '@/components/account-forms/code-entry';
import { CodeForm } from '@/components/account-forms/code-form';
import { EmailHint } from '@/components/account-forms/email-hint';
import { ProblemNotice, type FlowFailure } from '@/components/account-forms/problem-notice';
import { ResendButton } from '@/components/account-forms/resend-button';
import { EmailField } from '@/components/ui/form/fields';
import { useFlowForm } from '@/components/ui/form/form';
import { Notice } from '@/components/ui/notice';
import {
  confirmEmailChange,
  requestEmailChange,
  type EmailChangeFailure,
  type EmailUse,
} from '@/lib/browser/account/email-change';
import type { EmailSent } from '@/lib/browser/account/api';
import type { ApiResult, CallFailure } from '@/lib/browser/api-client';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import type { CodeValues } from '@/lib/shared/account/code-schemas';
import { emailRules, type EmailValues } from '@/lib/shared/account/email-rules';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { isOver } from './change';
import { ChangePanel, useReload } from './change-panel';
import { FormInPlace } from './form-in-place';
import { ProofPanel } from './proof-form';
import { useChange } from './use-change';

/** `wait`: seconds until another code can be sent. */
type CodeStep = { wait: number };
type Props = { account: AccountSecurity; use: EmailUse; onChanged: () => void; onCancel: () => void };

/**
 * Changes the email, or adds a recovery email: the new email, a proof unless the session is recent, and the code of the new
 * mailbox.
 */
export function EmailChange({ account, use, onChanged, onCancel }: Props) {
  const { t } = useMessages('security');
  const env = usePublicEnv();
  const hook = useChange<string, EmailChangeFailure, CodeStep>(async (email) => {
    const result = await requestEmailChange({ email, use }, account, env);
    if (result === 'proof-required') return { name: 'proving', failure: 'auth/requires-recent-login' };
    return result.ok ? { name: 'entering', wait: result.data.resendAfter } : { name: 'failed', failure: result };
  });
  const { phase, startAttempt } = hook;

  /** Without a proof. @returns why no code was sent, for the form */
  const request = async (change: string): Promise<EmailChangeFailure | null> => {
    const { show } = startAttempt({ type: 'begin', change });
    const result = await requestEmailChange({ email: change, use }, account);
    if (result === 'proof-required') show({ name: 'proving' });
    else if (result.ok) show({ name: 'entering', wait: result.data.resendAfter });
    else return result;
    return null;
  };

  const { change = '' } = phase;
  const email = toDisplayEmail(change);
  if (phase.name === 'opening' || isOver(phase))
    return (
      <EmailForm
        use={use}
        given={{ change, failure: phase.name === 'failed' ? phase.failure : undefined }}
        request={request}
        onCancel={onCancel}
      />
    );
  if (phase.name === 'entering')
    return (
      <ChangePanel stage="code" text={t('email.sent', { email })} onCancel={onCancel}>
        <EmailCode account={account} use={use} to={change} wait={phase.wait} onChanged={onChanged} />
      </ChangePanel>
    );
  return (
    <ProofPanel
      account={account}
      hook={hook}
      text={use === 'main' ? t('email.prove', { email }) : t('email.proveRecovery', { email })}
      onCancel={onCancel}
    />
  );
}

type FormProps = {
  use: EmailUse;
  given: { change: string; failure: EmailChangeFailure | undefined };
  request: (email: string) => Promise<EmailChangeFailure | null>;
  onCancel: () => void;
};

function EmailForm({ use, given, request, onCancel }: FormProps) {
  const { t } = useMessages('security');
  const form = useFlowForm<EmailValues, EmailChangeFailure>({
    schema: emailRules,
    defaults: { email: given.change },
    submit: ({ email }) => request(email),
  });
  const { phase, fields, reset } = form;
  const failure = phase.name === 'failed' ? phase.failure : phase.name === 'idle' ? given.failure : undefined;
  return (
    <FormInPlace
      label={use === 'main' ? t('email.form') : t('email.recoveryForm')}
      form={form}
      save={t('email.send')}
      cancel={t('proof.cancel')}
      onCancel={onCancel}
    >
      {failure && <RequestFailure failure={failure} onExpire={reset} />}
      <EmailField
        form={fields}
        name="email"
        label={use === 'main' ? t('email.label') : t('email.recoveryLabel')}
        autoComplete="email"
        hint={<EmailHint form={fields} />}
      />
    </FormInPlace>
  );
}

/** The proof of the first code is too old for another one. */
const PROOF_IS_OLD = {
  ...{ ok: false, code: 'recent-login-required', status: 403 },
  ...{ retryAfter: null, triesLeft: null },
} as const satisfies CallFailure;

/** Failures with a text of this page. */
const TEXTS = {
  'same-email': 'same',
  'email-managed': 'managed',
  'email-of-organization': 'ofOrganization',
  'deletion-scheduled': 'deletion',
} as const;

export function RequestFailure({ failure, onExpire }: { failure: EmailChangeFailure; onExpire: () => void }) {
  const { t } = useMessages('security');
  const { code } = failure;
  if (code in TEXTS) return <Notice tone="error">{t(`email.${TEXTS[code as keyof typeof TEXTS]}`)}</Notice>;
  return <ProblemNotice failure={failure as FlowFailure} hasForm onExpire={onExpire} />;
}

type CodeProps = Pick<Props, 'account' | 'use' | 'onChanged'> & CodeStep & { to: string };

function EmailCode({ account, use, to, wait, onChanged }: CodeProps) {
  const { t } = useMessages('security');
  const env = usePublicEnv();
  const reload = useReload();
  const form = useCodeForm<CodeValues, FlowFailure>({
    schema: async () => (await import('@/lib/shared/account/code-schemas')).codeSchema,
    submit: async ({ code }) => {
      const failure = await confirmEmailChange(env, code, account, { email: to, use });
      if (failure !== null) return failure;
      await reload();
      onChanged();
      return null;
    },
  });
  const texts = {
    form: use === 'main' ? t('email.codeForm') : t('email.recoveryCode'),
    verify: t('email.verify'),
    verifying: t('email.verifying'),
  };
  const { until, renew } = useCodeEnd(LIFETIME.veryShort);
  const resend = async (): Promise<ApiResult<EmailSent>> => {
    const change = { email: to, use };
    const byRecentSession = await requestEmailChange(change, account);
    const result =
      byRecentSession === 'proof-required' ? await requestEmailChange(change, account, env) : byRecentSession;
    return result === 'proof-required' || (!result.ok && result.code === 'same-email') ? PROOF_IS_OLD : result;
  };
  const onSent = () => {
    renew();
    restartCode(form);
  };
  return (
    <>
      <CodeForm form={form} texts={texts} until={until} />
      <ResendButton wait={wait} onResend={resend} onSent={onSent} />
    </>
  );
}
