import { useWatch, type FieldValues, type Path, type UseFormReturn } from 'react-hook-form';
import { PasswordField } from '@/components/ui/form/password-field';
import { SIGN_UP } from '@/lib/shared/account/email-rules';
import { isPasswordRefusal, personalPart } from '@/lib/shared/account/password-rules';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';

type Props<Values extends FieldValues> = {
  form: UseFormReturn<Values>;
  /** Email of the account that gets the password; empty while unknown. */
  email: string;
};

/** A new password of a known account, for password managers as well. It is typed once: the field can show it. */
export function NewPasswordFields<Values extends FieldValues & { password: string }>(props: Props<Values>) {
  const { t } = useMessages('new-password');
  return (
    <>
      <HiddenUsername email={props.email} />
      <NewPasswordField {...props} label={t('label')} />
    </>
  );
}

/** A new password with live feedback, based on the same rules that the server checks. */
export function NewPasswordField<Values extends FieldValues & { password: string }>({
  form,
  email,
  label,
}: Props<Values> & { label: string }) {
  return (
    <PasswordField
      form={form}
      name={'password' as Path<Values>}
      label={label}
      hint={<PasswordFeedback form={form} email={email} />}
      autoComplete="new-password"
    />
  );
}

function PasswordFeedback<Values extends FieldValues & { password: string }>({ form, email }: Props<Values>) {
  const { t } = useMessages('new-password');
  const { brandName } = usePublicEnv();
  const password: unknown = useWatch({ control: form.control, name: 'password' as Path<Values> });
  if (typeof password !== 'string' || password === '') return t('hint', { count: SIGN_UP.passwordMin });
  if (password.length < SIGN_UP.passwordMin) return t('more', { count: SIGN_UP.passwordMin - password.length });
  return personalPart(password, [email, brandName]) ? t('password-personal') : t('longEnough');
}

/** Pairs a new password with its account for password managers; hidden and not focusable. */
function HiddenUsername({ email }: { email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden tabIndex={-1} aria-hidden="true" />;
}

/** Shows at the field that the server rejected a new password. @returns the failure, unchanged */
export function showPasswordRefusal<Values extends FieldValues & { password: string }, F extends { code: string }>(
  form: UseFormReturn<Values>,
  failure: F,
): F {
  if (isPasswordRefusal(failure.code)) {
    const message = `new-password:${failure.code}`;
    form.setError('password' as Path<Values>, { message }, { shouldFocus: true });
  }
  return failure;
}
