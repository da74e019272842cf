import { useRouter } from 'next/router';
import { showPasswordRefusal } from '@/components/layout/show-password-refusal';
import { useFlowForm } from '@/components/ui/form/use-flow-form';
import { failureOf, registerAccount, type CallFailure } from '@/lib/account/calls';
import { carryEmail } from '@/lib/account/carried-email';
import type { RegistrationValues } from '@/lib/account/registration-schema';
import { paths } from '@/lib/paths';

/** The registration form's state; what follows is the same whether or not the address was free. */
export function useRegistrationForm() {
  const router = useRouter();
  return useFlowForm<RegistrationValues, CallFailure>({
    schema: async () => (await import('@/lib/account/registration-schema')).registrationSchema,
    submit: async (values, fields) => {
      carryEmail(values.email);
      const failure = failureOf(await registerAccount(values));
      if (failure) return showPasswordRefusal(fields, failure);
      await router.push(paths.registrationConfirm);
      return null;
    },
  });
}
