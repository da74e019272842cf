import { useId, type ReactNode } from 'react';
import { type FieldPath, type FieldValues, type UseFormReturn } from 'react-hook-form';
import type { MessageKey } from '@/lib/shared/i18n/messages';
import { useMessages } from '@/lib/browser/use-messages';
import { Icon } from '../icons';
import styles from './field.module.css';

/** The props of every form field. */
export type FieldProps<Values extends FieldValues> = {
  form: UseFormReturn<Values>;
  name: FieldPath<Values>;
  label: string;
  hint?: ReactNode;
  /** What the server refused in this field. */
  refusal?: FieldRefusal | null;
};

/** `clear` is called when the user changes what was refused. */
export type FieldRefusal = { text: ReactNode; clear: () => void };

type InputAttributes = { id: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined };

type FrameProps<Values extends FieldValues> = FieldProps<Values> & {
  /** A temporary remark, e.g. on caps lock, in a polite live region. */
  remark?: string | null;
  children: (attributes: InputAttributes) => ReactNode;
};

/** The label, the input, and below it the hint or, instead, the error. */
export function FieldFrame<Values extends FieldValues>(props: FrameProps<Values>) {
  const { form, name, label, hint, refusal, remark, children } = props;
  const { t } = useMessages('common');
  const id = useId();
  const { error } = form.getFieldState(name, form.formState);
  const noteId = `${id}-note`;
  const isInvalid = Boolean(error ?? refusal);
  const described = isInvalid || hint !== undefined;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.box} onInputCapture={refusal?.clear}>
        {children({ id, 'aria-invalid': isInvalid, 'aria-describedby': described ? noteId : undefined })}
      </div>
      {isInvalid ? (
        <p className={styles.error} id={noteId} role="alert">
          <Icon glyph="alert" />
          {/* Schemas use message keys: of the common namespace unless the key names another one. */}
          <span>{error ? t((error.message ?? 'fields.invalid') as MessageKey<'common'>) : refusal?.text}</span>
        </p>
      ) : (
        hint !== undefined && (
          <p className={styles.hint} id={noteId}>
            {hint}
          </p>
        )
      )}
      {remark !== undefined && (
        <p className={styles.remark} role="status">
          {remark}
        </p>
      )}
    </div>
  );
}
