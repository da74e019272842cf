import { useTranslation } from 'next-i18next/pages';
import { useId, type ReactNode } from 'react';
import { type FieldPath, type FieldValues, type UseFormReturn } from 'react-hook-form';
import { Icon } from '../icons';
import styles from './field.module.css';

/** What every field of a form takes. */
export type FieldProps<Values extends FieldValues> = {
  form: UseFormReturn<Values>;
  name: FieldPath<Values>;
  label: string;
  hint?: ReactNode;
};

type InputAttributes = { id: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined };

type FrameProps<Values extends FieldValues> = FieldProps<Values> & {
  /** A passing remark such as caps lock, announced politely. */
  remark?: string | null;
  children: (attributes: InputAttributes) => ReactNode;
};

/** Label above, input, and below it the hint or, in its place, the error. */
export function FieldFrame<Values extends FieldValues>(props: FrameProps<Values>) {
  const { form, name, label, hint, remark, children } = props;
  const { t } = useTranslation('common');
  const id = useId();
  const { error } = form.getFieldState(name, form.formState);
  const noteId = `${id}-note`;
  const described = error !== undefined || hint !== undefined;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.box}>
        {children({ id, 'aria-invalid': error !== undefined, 'aria-describedby': described ? noteId : undefined })}
      </div>
      {error ? (
        <p className={styles.error} id={noteId} role="alert">
          <Icon glyph="alert" />
          {/* Schemas name their texts: the message is a key, of the common namespace unless it says another. */}
          <span>{t(error.message ?? 'fields.invalid')}</span>
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
