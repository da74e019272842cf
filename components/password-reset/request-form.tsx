import { useRouter } from 'next/router';
import { useTranslation } from 'next-i18next/pages';
import { EmailRequestForm } from '@/components/layout/email-request-form';
import { failureOf, requestReset } from '@/lib/account/calls';
import { paths } from '@/lib/paths';
import { SignInHelp } from './sign-in-help';

export function RequestForm() {
  const { t } = useTranslation('forget-password');
  const router = useRouter();
  const request = async (email: string) => {
    const failure = failureOf(await requestReset(email));
    if (!failure) await router.push(paths.forgetPasswordInstructions);
    return failure;
  };
  const texts = { form: t('form'), send: t('send'), sending: t('sending') };
  return <EmailRequestForm texts={texts} request={request} below={(fields) => <SignInHelp form={fields} />} />;
}
