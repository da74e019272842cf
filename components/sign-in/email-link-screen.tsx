import { Suspense, useEffect, useState } from 'react';
import { EmailRequestForm } from '@/components/account-forms/email-request-form';
import { MailboxLink } from '@/components/account-forms/mailbox-link';
import { AuthLayout } from '@/components/layout/auth-layout';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { requestSignInLink, type CodeSent } from '@/lib/browser/account/api';
import { awaitedEmail, type AwaitedEmail } from '@/lib/browser/account/emailed-code';
import type { ApiResult } from '@/lib/browser/api-client';
import { keepReturnForLink } from '@/lib/browser/auth/link-return';
import { lazyWithFallback } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import { BackToSignIn } from './back-to-sign-in';

/** Requests an email that signs in. Its code is entered here. Its link opens at /actions. */
export function EmailLinkScreen({ bounced }: { bounced?: boolean | null }) {
  const { t } = useMessages('email-link');
  const [awaited, setAwaited] = useState<AwaitedEmail | null>(null);
  // After hydration, because only the browser has it.
  useEffect(() => setAwaited(awaitedEmail.get()), []);
  if (bounced) return <RedirectLoopScreen />;

  const request = async (email: string): Promise<ApiResult<CodeSent>> => {
    const result = await requestSignInLink(email);
    if (!result.ok) return result;
    keepReturnForLink(email);
    const { flow, resendAfter } = result.data;
    const sent = { email, flow, resendAt: Date.now() + resendAfter * 1_000 };
    awaitedEmail.set(sent);
    setAwaited(sent);
    return result;
  };
  const forget = () => {
    awaitedEmail.forget();
    setAwaited(null);
  };
  return (
    <AuthLayout
      heading={awaited ? t('sentHeading') : t('heading')}
      aside={awaited && <MailboxLink email={awaited.email} />}
      lead={awaited ? t('sent', { email: awaited.email }) : t('lead')}
    >
      {awaited ? (
        <Suspense>
          <EmailSent awaited={awaited} onResend={() => request(awaited.email)} onOtherAddress={forget} />
        </Suspense>
      ) : (
        <EmailRequestForm
          texts={{ form: t('form'), send: t('providers:emailLink'), sending: t('sending') }}
          request={async (email) => {
            const result = await request(email);
            return result.ok ? null : result;
          }}
        />
      )}
      <BackToSignIn />
    </AuthLayout>
  );
}

const EmailSent = lazyWithFallback(() => import('./email-sent'));
