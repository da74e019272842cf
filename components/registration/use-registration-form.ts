import { useRouter } from 'next/router';
import { showPasswordRefusal } from '@/components/account-forms/new-password-fields';
import { useFlowForm } from '@/components/ui/form/use-flow-form';
import { registerAccount, type CallFailure } from '@/lib/browser/account/api';
import { carryEmail, carryName } from '@/lib/browser/account/carried-email';
import type { RegistrationValues } from '@/lib/shared/account/registration-schema';
import { paths, pathWithFlow } from '@/lib/shared/paths';

/** The registration form's state. The next step is the same whether or not the address is already registered. */
export function useRegistrationForm() {
  const router = useRouter();
  return useFlowForm<RegistrationValues, CallFailure>({
    schema: async () => (await import('@/lib/shared/account/registration-schema')).registrationSchema,
    submit: async (values, fields) => {
      carryEmail(values.email);
      carryName(values.name);
      const answer = await registerAccount(values);
      if (!answer.ok) return showPasswordRefusal(fields, answer);
      await router.push(pathWithFlow(paths.registrationConfirm, answer.data.flow));
      return null;
    },
  });
}
