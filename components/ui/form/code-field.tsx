import { useEffect, useState } from 'react';
import type { FieldValues, PathValue } from 'react-hook-form';
import { FieldFrame, type FieldProps } from './field-frame';
import styles from './field.module.css';

type Props<Values extends FieldValues> = FieldProps<Values> & {
  length: number;
  /** Turns what was typed or pasted into the code that was meant. */
  normalise: (text: string) => string;
  /** Told once for each code, when it has become complete; a code entered anew into the emptied field is another. */
  onComplete?: () => void;
};

/** One field for a one-time code: paste and autofill work, and it sends itself when complete. */
export function CodeField<Values extends FieldValues>(props: Props<Values>) {
  const { length, normalise, onComplete, ...field } = props;
  const { form, name } = field;
  const [told, setTold] = useState('');
  const take = (text: string) => {
    const code = normalise(text);
    form.setValue(name, code as PathValue<Values, typeof name>, { shouldValidate: false });
    if (code === '') setTold('');
    if (code.length !== length || code === told) return;
    setTold(code);
    onComplete?.();
  };
  const registered = form.register(name, {
    onChange: (event: { target: { value: string } }) => take(event.target.value),
  });
  useEffect(() => {
    // Pasted or filled in before the page was ready; the form tells of it once its own effects have run.
    queueMicrotask(() => {
      const early: unknown = form.getValues(name);
      if (typeof early === 'string' && early !== '') take(early);
    });
    // Once, when the page has become usable.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
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
