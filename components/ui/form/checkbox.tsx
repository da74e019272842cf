import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import styles from './field.module.css';

type Props<Values extends FieldValues> = { form: UseFormReturn<Values>; name: FieldPath<Values>; label: string };

/** A tick box with its label beside it. */
export function Checkbox<Values extends FieldValues>({ form, name, label }: Props<Values>) {
  return (
    <label className={styles.check}>
      <input type="checkbox" {...form.register(name)} />
      {label}
    </label>
  );
}
