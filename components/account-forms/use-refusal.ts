import { useEffect, type ReactNode } from 'react';
import type { FieldValues, Path } from 'react-hook-form';
import type { FieldRefusal } from '@/components/ui/form/fields';
import type { FlowForm } from '@/components/ui/form/form';

/**
 * Shows the server's refusal at a field, which gets the focus. It disappears with the failure: when the user changes
 * the field, and after Back.
 * @param text the refusal, or null
 */
export function useRefusal<Values extends FieldValues>(
  { fields, reset }: Pick<FlowForm<Values, unknown>, 'fields' | 'reset'>,
  name: Path<Values>,
  text: ReactNode,
): FieldRefusal | null {
  const isRefused = text !== null;
  useEffect(() => {
    if (isRefused) fields.setFocus(name);
  }, [isRefused, fields, name]);
  return isRefused ? { text, clear: reset } : null;
}
