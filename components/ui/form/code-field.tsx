import type { FieldValues, PathValue } from 'react-hook-form';
import { FieldFrame, type FieldProps } from './field-frame';
import styles from './field.module.css';

type Props<Values extends FieldValues> = FieldProps<Values> & {
  length: number;
  /** Turns what was typed or pasted into the code that was meant. */
  normalise: (text: string) => string;
  /** Told once, when the code has become complete. */
  onComplete?: () => void;
};

/** One field for a one-time code: paste and autofill work, and it sends itself when complete. */
export function CodeField<Values extends FieldValues>({ length, normalise, onComplete, ...field }: Props<Values>) {
  const { form, name } = field;
  const registered = form.register(name, {
    onChange: (event: { target: { value: string } }) => {
      const code = normalise(event.target.value);
      form.setValue(name, code as PathValue<Values, typeof name>, { shouldValidate: false });
      if (code.length === length) onComplete?.();
    },
  });
  return (
    <FieldFrame {...field}>
      {(described) => (
        <input
          className={`${styles.input ?? ''} ${styles.code ?? ''}`}
          type="text"
          inputMode="text"
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          {...described}
          {...registered}
        />
      )}
    </FieldFrame>
  );
}
