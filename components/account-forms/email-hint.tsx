import { useState } from 'react';
import { useWatch, type FieldValues, type Path, type PathValue, type UseFormReturn } from 'react-hook-form';
import { suggestEmail } from '@/lib/browser/account/email-suggestion';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import styles from '../layout/flow.module.css';

/** Suggests the likely intended address for a mistyped email. */
export function EmailHint<Values extends FieldValues & { email: string }>({ form }: { form: UseFormReturn<Values> }) {
  const { t } = useMessages('common');
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
