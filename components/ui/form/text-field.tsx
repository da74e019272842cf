import type { InputHTMLAttributes } from 'react';
import type { FieldValues } from 'react-hook-form';
import { FieldFrame, type FieldProps } from './field-frame';
import styles from './field.module.css';

type Attributes = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'autoComplete' | 'inputMode' | 'autoCapitalize' | 'spellCheck' | 'autoFocus' | 'readOnly' | 'maxLength'
>;

/** A single-line text field: name, email. */
export function TextField<Values extends FieldValues>(props: FieldProps<Values> & Attributes) {
  const { form, name, label, hint, refusal, ...attributes } = props;
  return (
    <FieldFrame form={form} name={name} label={label} hint={hint} refusal={refusal}>
      {(described) => <input className={styles.input} {...attributes} {...described} {...form.register(name)} />}
    </FieldFrame>
  );
}

/** The email address that identifies an account. */
export function EmailField<Values extends FieldValues>(props: FieldProps<Values> & Attributes) {
  return (
    <TextField
      type="email"
      inputMode="email"
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      {...props}
    />
  );
}
