import { useEffect } from 'react';
import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import { getCarriedEmail } from '@/lib/browser/account/carried-email';

/**
 * Fills in the email from an earlier screen, unless the field has a value. A focused field is left alone: text inserted
 * before the cursor would become part of the address being typed.
 */
export function useCarriedEmail<Values extends FieldValues & { email: string }>(form: UseFormReturn<Values>): void {
  useEffect(() => {
    const name = 'email' as Path<Values>;
    const email = getCarriedEmail();
    const isBeingTyped = document.activeElement?.getAttribute('name') === name;
    if (email && !isBeingTyped && !form.getValues(name)) {
      form.setValue(name, email as PathValue<Values, Path<Values>>);
    }
    // Runs once, after hydration.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
}
