import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { FieldFrame, type FieldProps } from '@/components/ui/form/fields';
import fields from '@/components/ui/form/field.module.css';
import styles from './desk.module.css';

/** One choice of a list. `children`: the options. */
export function SelectField<Values extends FieldValues>(props: FieldProps<Values> & { children: ReactNode }) {
  const { children, ...field } = props;
  return (
    <FieldFrame {...field}>
      {(described) => (
        <select
          className={`${fields.input ?? ''} ${styles.select ?? ''}`}
          autoComplete="off"
          {...described}
          {...field.form.register(field.name)}
        >
          {children}
        </select>
      )}
    </FieldFrame>
  );
}
