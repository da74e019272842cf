import type { FieldValues } from 'react-hook-form';
import { TextField, type FieldProps } from '@/components/ui/form/fields';
import { usePublicEnv } from '@/lib/browser/config/context';

/** The name of an account's owner. */
export function NameField<Values extends FieldValues>(props: FieldProps<Values>) {
  const { nameLength } = usePublicEnv();
  return <TextField {...props} messageValues={nameLength} autoComplete="name" />;
}
