import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { useWatch, type FieldValues, type Path, type PathValue, type UseFormReturn } from 'react-hook-form';
import { suggestEmail } from '@/lib/account/email-suggestion';
import { usePublicEnv } from '@/lib/config/public-env-context';
import styles from './flow.module.css';

/** Offers the address that was probably meant. */
export function EmailHint<Values extends FieldValues & { email: string }>({ form }: { form: UseFormReturn<Values> }) {
  const { t } = useTranslation('common');
  const { mailboxDomains } = usePublicEnv();
  const [taken, setTaken] = useState('');
  const name = 'email' as Path<Values>;
  const email: unknown = useWatch({ control: form.control, name });
  if (typeof email !== 'string' || taken === email) return null;
  const meant = suggestEmail(email, mailboxDomains);
  if (meant === null) return null;
  return (
    <>
      {t('fields.emailMeant')}{' '}
      <button
        type="button"
        className={styles.suggestion}
        onClick={() => {
          form.setValue(name, meant as PathValue<Values, Path<Values>>, { shouldValidate: true });
          setTaken(meant);
        }}
      >
        {meant}
      </button>
    </>
  );
}
