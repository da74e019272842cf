import { useRouter } from 'next/router';
import { showPasswordRefusal } from '@/components/account-forms/new-password-fields';
import { useFlowForm } from '@/components/ui/form/use-flow-form';
import { toFailure, registerAccount, type CallFailure } from '@/lib/browser/account/api';
import { carryEmail } from '@/lib/browser/account/carried-email';
import type { RegistrationValues } from '@/lib/shared/account/registration-schema';
import { paths } from '@/lib/shared/paths';

/** The registration form's state. The next step is the same whether or not the address is already registered. */
export function useRegistrationForm() {
  const router = useRouter();
  return useFlowForm<RegistrationValues, CallFailure>({
    schema: async () => (await import('@/lib/shared/account/registration-schema')).registrationSchema,
    submit: async (values, fields) => {
      carryEmail(values.email);
      const failure = toFailure(await registerAccount(values));
      if (failure) return showPasswordRefusal(fields, failure);
      await router.push(paths.registrationConfirm);
      return null;
    },
  });
}
