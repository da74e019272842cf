import { Suspense, useState } from 'react';
import { EmailRequestForm } from '@/components/account-forms/email-request-form';
import { MailboxLink } from '@/components/account-forms/mailbox-link';
import { AuthLayout } from '@/components/layout/auth-layout';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { requestSignInLink, type CodeSent } from '@/lib/browser/account/api';
import { keepAwaitedEmail, useKeptEmail, type AwaitedEmail } from '@/lib/browser/account/emailed-code';
import type { ApiResult } from '@/lib/browser/api-client';
import { keepReturnForLink } from '@/lib/browser/auth/link-return';
import { lazyWithFallback } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import { BackToSignIn } from './back-to-sign-in';

/** Requests an email that signs in. Its code is entered here. Its link opens at /actions. */
export function EmailLinkScreen({ bounced }: { bounced?: boolean | null }) {
  const { t } = useMessages('email-link');
  const kept = useKeptEmail();
  const [sent, setSent] = useState<AwaitedEmail | null>();
  const awaited = sent === undefined ? kept : sent;
  if (bounced) return <RedirectLoopScreen />;

  const waitFor = (next: AwaitedEmail | null) => {
    keepAwaitedEmail(next);
    setSent(next);
  };
  const request = async (email: string): Promise<ApiResult<CodeSent>> => {
    const result = await requestSignInLink(email);
    if (!result.ok) return result;
    keepReturnForLink(email);
    const { flow, resendAfter } = result.data;
    waitFor({ email, flow, resendAt: Date.now() + resendAfter * 1_000 });
    return result;
  };
  return (
    <AuthLayout
      step={awaited ? 'code' : undefined}
      heading={awaited ? t('sentHeading') : t('heading')}
      aside={awaited && <MailboxLink email={awaited.email} />}
      lead={awaited ? t('sent', { email: awaited.email }) : t('lead')}
    >
      {awaited ? (
        <Suspense>
          <EmailSent awaited={awaited} onResend={() => request(awaited.email)} onOtherAddress={() => waitFor(null)} />
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
