import { useEffect, useState, type ChangeEvent } from 'react';
import { useWatch, type FieldValues, type PathValue } from 'react-hook-form';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { FieldFrame, type FieldProps } from './fields';
import field from './field.module.css';
import styles from './code-field.module.css';

type Props<Values extends FieldValues> = FieldProps<Values> & {
  length: number;
  /** Normalizes the typed or pasted text to a code. */
  normalize: (text: string) => string;
  /** Called once per complete code; a code entered again after the field was cleared counts as another one. */
  onComplete?: () => void;
  /** The on-screen keyboard: `numeric` for codes of digits only. */
  inputMode?: 'text' | 'numeric';
};

/** One field for a one-time code, with a cell for each character: paste and autofill work, and a complete code is submitted automatically. */
export function CodeField<Values extends FieldValues>(props: Props<Values>) {
  const { length, normalize, onComplete, inputMode = 'text', ...frame } = props;
  const { form, name } = frame;
  const [told, setTold] = useState('');
  const registered = form.register(name);
  const notice = (code: string) => {
    if (code === '') setTold('');
    if (code.length !== length || code === told) return;
    setTold(code);
    onComplete?.();
  };
  const take = (text: string) => {
    const code = normalize(text);
    form.setValue(name, code as PathValue<Values, typeof name>, { shouldValidate: false });
    notice(code);
  };
  const change = (event: ChangeEvent<HTMLInputElement>) => {
    const { target, nativeEvent } = event;
    const code = normalize(target.value);
    // An input method writes its composed text again after a text that was replaced.
    const isUnfinished = (nativeEvent as InputEvent).isComposing && code.length !== length;
    // Before the form takes it. The form keeps an earlier error if its value changes while it validates.
    if (!isUnfinished && target.value !== code) target.value = code;
    void registered.onChange(event);
    if (!isUnfinished) notice(code);
  };
  // The form has cleared the field.
  useFreshAfterBack(() => setTold(''));
  useEffect(() => {
    // Pasted or autofilled before hydration; the form has the value once its own effects have run.
    queueMicrotask(() => {
      const early: unknown = form.getValues(name);
      if (typeof early === 'string' && early !== '') take(early);
    });
    // Runs once, after hydration.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  const typed: unknown = useWatch({ control: form.control, name });
  const current = Math.min(typeof typed === 'string' ? typed.length : 0, length - 1);
  return (
    <FieldFrame {...frame}>
      {(described) => (
        <div className={styles.code}>
          <input
            className={`${field.input} ${styles.input}`}
            type="text"
            inputMode={inputMode}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
            onCompositionEnd={({ currentTarget }) => take(currentTarget.value)}
            {...described}
            {...registered}
            onChange={change}
          />
          {/* One input is easy to paste into and to hear. The cells only show how long the code is. */}
          <span aria-hidden="true">
            {Array.from({ length }, (_, index) => (
              <span key={index} data-current={index === current || undefined} />
            ))}
          </span>
        </div>
      )}
    </FieldFrame>
  );
}
