import { useEffect, useState, type ChangeEvent } from 'react';
import type { FieldValues, PathValue } from 'react-hook-form';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { FieldFrame, type FieldProps } from './fields';
import styles from './field.module.css';

type Props<Values extends FieldValues> = FieldProps<Values> & {
  length: number;
  /** Normalizes the typed or pasted text to a code. */
  normalize: (text: string) => string;
  /** Called once per complete code; a code entered again after the field was cleared counts as another one. */
  onComplete?: () => void;
  /** The on-screen keyboard: `numeric` for codes of digits only. */
  inputMode?: 'text' | 'numeric';
};

/** One field for a one-time code: paste and autofill work, and a complete code is submitted automatically. */
export function CodeField<Values extends FieldValues>(props: Props<Values>) {
  const { length, normalize, onComplete, inputMode = 'text', ...field } = props;
  const { form, name } = field;
  const [told, setTold] = useState('');
  const take = (text: string, isComposing = false) => {
    const code = normalize(text);
    // An input method writes its composed text again after a text that was replaced.
    if (isComposing && code.length !== length) return;
    form.setValue(name, code as PathValue<Values, typeof name>, { shouldValidate: false });
    if (code === '') setTold('');
    if (code.length !== length || code === told) return;
    setTold(code);
    onComplete?.();
  };
  // The form has cleared the field.
  useFreshAfterBack(() => setTold(''));
  const registered = form.register(name, {
    onChange: ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) =>
      take(target.value, (nativeEvent as InputEvent).isComposing),
  });
  useEffect(() => {
    // Pasted or autofilled before hydration; the form has the value once its own effects have run.
    queueMicrotask(() => {
      const early: unknown = form.getValues(name);
      if (typeof early === 'string' && early !== '') take(early);
    });
    // Runs once, after hydration.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return (
    <FieldFrame {...field}>
      {(described) => (
        <input
          className={`${styles.input ?? ''} ${styles.code ?? ''}`}
          type="text"
          inputMode={inputMode}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          onCompositionEnd={({ currentTarget }) => take(currentTarget.value)}
          {...described}
          {...registered}
        />
      )}
    </FieldFrame>
  );
}
