import { useEffect, useState } from 'react';
import { useWatch, type FieldValues, type Path, type PathValue, type UseFormReturn } from 'react-hook-form';
import type { suggestEmail } from '@/lib/shared/account/email-suggestion';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import styles from '../layout/flow.module.css';

/** Suggests a correction for a mistyped email. */
export function EmailHint<Values extends FieldValues & { email: string }>({ form }: { form: UseFormReturn<Values> }) {
  const { t } = useMessages('common');
  const { mailboxDomains } = usePublicEnv();
  const [taken, setTaken] = useState('');
  const name = 'email' as Path<Values>;
  const email: unknown = useWatch({ control: form.control, name });
  const meant = useSuggestion(typeof email === 'string' ? email : '', mailboxDomains);
  if (meant === null || taken === email) return null;
  return (
    <>
      <span>{`${t('fields.emailMeant')} `}</span>
      <button
        type="button"
        className={styles.suggestion}
        onClick={() => {
          form.setValue(name, meant as PathValue<Values, Path<Values>>, { shouldValidate: true });
          setTaken(meant);
          // The pressed button is removed.
          form.setFocus(name);
        }}
      >
        {meant}
      </button>
    </>
  );
}

type Suggest = typeof suggestEmail;

/** Includes the forms of keyboards with full-width characters. */
const AT = /[@\uff20\ufe6b]/;

/** Loads the known domains once an address contains an at sign, so that an empty form is usable sooner. */
function useSuggestion(email: string, domains: readonly string[]): string | null {
  const [suggest, setSuggest] = useState<{ email: Suggest } | null>(null);
  const isNeeded = suggest === null && AT.test(email);
  useEffect(() => {
    if (!isNeeded) return;
    import('@/lib/shared/account/email-suggestion')
      .then((loaded) => setSuggest({ email: loaded.suggestEmail }))
      // It is only a hint, and the form works without it.
      .catch(() => undefined);
  }, [isNeeded]);
  return suggest?.email(email, domains) ?? null;
}

/** Fills in the email from an earlier screen. */
export function useCarriedEmail<Values extends FieldValues & { email: string }>(form: UseFormReturn<Values>): void {
  useCarriedValue(form, 'email' as Path<Values>, carriedEmail.get);
}

/**
 * Fills in a value from an earlier screen, unless the field has a value or focus. Text inserted before the cursor would
 * become part of the typed value.
 */
export function useCarriedValue<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  name: Path<Values>,
  getValue: () => string,
): void {
  useEffect(() => {
    const value = getValue();
    const isBeingTyped = document.activeElement?.getAttribute('name') === name;
    if (value && !isBeingTyped && !form.getValues(name)) form.setValue(name, value as PathValue<Values, Path<Values>>);
    // Runs once, after hydration.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
}
