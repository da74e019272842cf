import { useWatch, type FieldValues, type Path, type UseFormReturn } from 'react-hook-form';
import { PasswordField } from '@/components/ui/form/fields';
import type { FlowForm } from '@/components/ui/form/form';
import { SIGN_UP } from '@/lib/shared/account/email-rules';
import { normalizePassword } from '@/lib/shared/account/typed-password';
import { isPasswordRefusal, personalPart } from '@/lib/shared/account/password-rules';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { useRefusal } from './use-refusal';

type Props<Values extends FieldValues> = {
  flow: FlowForm<Values, { code: string }>;
  /** Email of the account that gets the password. Empty while unknown. */
  email: string;
};

/** A new password of a known account, also for password managers. It is typed once, because the field can show it. */
export function NewPasswordFields<Values extends FieldValues & { password: string }>(props: Props<Values>) {
  const { t } = useMessages('new-password');
  return (
    <>
      <HiddenUsername email={props.email} />
      <NewPasswordField {...props} label={t('label')} />
    </>
  );
}

/** A new password with live feedback by the server's rules, and the server's refusal. */
export function NewPasswordField<Values extends FieldValues & { password: string }>({
  flow,
  email,
  label,
}: Props<Values> & { label: string }) {
  const { t } = useMessages('new-password');
  const { fields, phase } = flow;
  const name = 'password' as Path<Values>;
  const code = phase.name === 'failed' ? phase.failure.code : '';
  return (
    <PasswordField
      form={fields}
      name={name}
      label={label}
      hint={<PasswordFeedback form={fields} email={email} />}
      refusal={useRefusal(flow, name, isPasswordRefusal(code) ? t(`new-password:${code}`) : null)}
      autoComplete="new-password"
    />
  );
}

type FeedbackProps<Values extends FieldValues> = { form: UseFormReturn<Values>; email: string };

function PasswordFeedback<Values extends FieldValues & { password: string }>({ form, email }: FeedbackProps<Values>) {
  const { t } = useMessages('new-password');
  const { brandName } = usePublicEnv();
  const password: unknown = useWatch({ control: form.control, name: 'password' as Path<Values> });
  const getText = () => {
    if (typeof password !== 'string' || password === '') return t('hint', { count: SIGN_UP.passwordMin });
    const missing = SIGN_UP.passwordMin - [...normalizePassword(password)].length;
    if (missing > 0) return t('more', { count: missing });
    return personalPart(password, [email, brandName]) ? t('password-personal') : t('longEnough');
  };
  return <span>{getText()}</span>;
}

/** Pairs a new password with its account for password managers. It is hidden and not focusable. */
function HiddenUsername({ email }: { email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden tabIndex={-1} aria-hidden="true" />;
}
