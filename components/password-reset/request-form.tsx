import { useRouter } from 'next/router';
import { EmailRequestForm } from '@/components/account-forms/email-request-form';
import { requestReset } from '@/lib/browser/account/api';
import { useMessages } from '@/lib/browser/use-messages';
import { paths, pathWithFlow } from '@/lib/shared/paths';
import { SignInHelp } from './sign-in-help';

export function RequestForm() {
  const { t } = useMessages('forget-password');
  const router = useRouter();
  const request = async (email: string) => {
    const answer = await requestReset(email);
    if (!answer.ok) return answer;
    await router.push(pathWithFlow(paths.forgetPasswordInstructions, answer.data.flow));
    return null;
  };
  const texts = { form: t('form'), send: t('send'), sending: t('sending') };
  return <EmailRequestForm texts={texts} request={request} below={(fields) => <SignInHelp form={fields} />} />;
}
