import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { useWatch, type UseFormReturn } from 'react-hook-form';
import { suggestEmail } from '@/lib/account/email-suggestion';
import type { SignInValues } from '@/lib/account/sign-in-schema';
import { usePublicEnv } from '@/lib/config/public-env-context';
import styles from './sign-in.module.css';

/** Offers the address that was probably meant. */
export function EmailHint({ form }: { form: UseFormReturn<SignInValues> }) {
  const { t } = useTranslation('common');
  const { mailboxDomains } = usePublicEnv();
  const [taken, setTaken] = useState('');
  const email = useWatch({ control: form.control, name: 'email' }) ?? '';
  const meant = suggestEmail(email, mailboxDomains);
  if (meant === null || taken === email) return null;
  return (
    <>
      {t('fields.emailMeant')}{' '}
      <button
        type="button"
        className={styles.suggestion}
        onClick={() => {
          form.setValue('email', meant, { shouldValidate: true });
          setTaken(meant);
        }}
      >
        {meant}
      </button>
    </>
  );
}
