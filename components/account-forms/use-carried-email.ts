import { useEffect } from 'react';
import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import { getCarriedEmail } from '@/lib/browser/account/carried-email';

/** Fills in the email from an earlier screen. */
export function useCarriedEmail<Values extends FieldValues & { email: string }>(form: UseFormReturn<Values>): void {
  useCarriedValue(form, 'email' as Path<Values>, getCarriedEmail);
}

/**
 * Fills in a value from an earlier screen, unless the field has one. A focused field is left alone: text inserted before
 * the cursor would become part of the value being typed.
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
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
}
