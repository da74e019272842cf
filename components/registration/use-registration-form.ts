import { useRouter } from 'next/router';
import { showPasswordRefusal } from '@/components/account-forms/new-password-fields';
import { useFlowForm } from '@/components/ui/form/use-flow-form';
import { registerAccount, type CallFailure } from '@/lib/browser/account/api';
import { carryEmail, carryName } from '@/lib/browser/account/carried-email';
import { keepMethodToConfirm } from '@/lib/browser/auth/sign-in/method-to-confirm';
import { PASSKEY_METHOD } from '@/lib/shared/account/own-methods';
import type { RegistrationValues } from '@/lib/shared/account/registration-schema';
import { paths, pathWithFlow } from '@/lib/shared/paths';

/**
 * The registration form's state. The next step is the same whether or not the address is already registered.
 * @param byPasskey without a password: the user creates a passkey once the email is confirmed
 */
export function useRegistrationForm(byPasskey: boolean) {
  const router = useRouter();
  return useFlowForm<RegistrationValues, CallFailure>({
    schema: async () => {
      const schemas = await import('@/lib/shared/account/registration-schema');
      return byPasskey ? schemas.passwordlessFormSchema : schemas.registrationSchema;
    },
    submit: async (values, fields) => {
      carryEmail(values.email);
      carryName(values.name);
      const { name, email } = values;
      const answer = await registerAccount(byPasskey ? { name, email, passkey: true } : values);
      if (!answer.ok) return showPasswordRefusal(fields, answer);
      keepMethodToConfirm(email, byPasskey ? PASSKEY_METHOD : 'password');
      await router.push(pathWithFlow(paths.registrationConfirm, answer.data.flow));
      return null;
    },
  });
}
