import { useEffect } from 'react';
import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import { carriedEmail } from '@/lib/account/carried-email';

/**
 * Fills in the e-mail that was typed on an earlier screen, unless something has been typed here. Someone who is in the
 * field already is about to type: text put before the cursor then would become a part of their address.
 */
export function useCarriedEmail<Values extends FieldValues & { email: string }>(form: UseFormReturn<Values>): void {
  useEffect(() => {
    const name = 'email' as Path<Values>;
    const email = carriedEmail();
    const isBeingTyped = document.activeElement?.getAttribute('name') === name;
    if (email && !isBeingTyped && !form.getValues(name)) {
      form.setValue(name, email as PathValue<Values, Path<Values>>);
    }
    // Once, when the page has become usable.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
}
