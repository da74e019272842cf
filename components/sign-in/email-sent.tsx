import { useState } from 'react';
import { restartCode, useCodeForm } from '@/components/account-forms/code-entry';
import { CodeForm } from '@/components/account-forms/code-form';
import type { FlowFailure } from '@/components/account-forms/problem-notice';
import { ResendButton } from '@/components/account-forms/resend-button';
import styles from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import type { CodeSent } from '@/lib/browser/account/api';
import { signInByCode, type AwaitedEmail } from '@/lib/browser/account/emailed-code';
import type { ApiResult } from '@/lib/browser/api-client';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useFirstFocus } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import type { CodeValues } from '@/lib/shared/account/code-schemas';

/** Seconds between an email and the next one (docs/product.md#constants). */
const RESEND_SECONDS = 30;

type Props = {
  awaited: AwaitedEmail;
  /** Requests another email to the same address. */
  onResend: () => Promise<ApiResult<CodeSent>>;
  onOtherAddress: () => void;
};

/** Takes the code of an email that signs in. The page does not know whether the email has one, or other help. */
export default function EmailSent({ awaited, onResend, onOtherAddress }: Props) {
  const { t } = useMessages('email-link');
  const env = usePublicEnv();
  const form = useCodeForm<CodeValues, FlowFailure>({
    schema: async () => (await import('@/lib/shared/account/code-schemas')).codeSchema,
    submit: ({ code }) => signInByCode(env, awaited.flow, code),
  });
  const [wait] = useState(() => Math.max(0, Math.ceil((awaited.resendAt - Date.now()) / 1_000)));
  useFirstFocus('code');
  return (
    <>
      <CodeForm
        form={form}
        texts={{ form: t('codeForm'), verify: t('verify'), verifying: t('verifying') }}
        until={awaited.resendAt + (LIFETIME.veryShort - RESEND_SECONDS) * 1_000}
      />
      <div className={styles.links}>
        <ResendButton
          wait={wait}
          onResend={onResend}
          onSent={() => restartCode(form)}
          texts={{ button: t('resend'), sent: t('sentAgain') }}
        />
        <div className={styles.resend}>
          <Button kind="quiet" onClick={onOtherAddress}>
            {t('otherAddress')}
          </Button>
        </div>
      </div>
    </>
  );
}
