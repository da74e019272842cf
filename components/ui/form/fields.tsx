import { useId, type ReactNode, type InputHTMLAttributes, useState, type KeyboardEvent } from 'react';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import type { MessageKey, Values as MessageValues } from '@/lib/shared/i18n/messages';
import { useMessages } from '@/lib/browser/use-messages';
import { Icon } from '../icons';
import styles from './field.module.css';

/** The props of every form field. */
export type FieldProps<Values extends FieldValues> = {
  form: UseFormReturn<Values>;
  name: FieldPath<Values>;
  label: string;
  hint?: ReactNode;
  /** The value that the server refused in this field. */
  refusal?: FieldRefusal | null;
  /** Namespace of the error messages. */
  messageValues?: MessageValues;
};

/** `clear` is called when the user changes the refused value. */
export type FieldRefusal = { text: ReactNode; clear: () => void };

type InputAttributes = { id: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined };

type FrameProps<Values extends FieldValues> = FieldProps<Values> & {
  /** A temporary remark in a polite live region, for example about caps lock. */
  remark?: string | null;
  children: (attributes: InputAttributes) => ReactNode;
};

/** Renders the label and the input, and below it the error or else the hint. */
export function FieldFrame<Values extends FieldValues>(props: FrameProps<Values>) {
  const { form, name, label, hint, refusal, messageValues, remark, children } = props;
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
          {/* Schemas use message keys. A key without a namespace belongs to the common namespace. */}
          <span>
            {error ? t((error.message ?? 'fields.invalid') as MessageKey<'common'>, messageValues) : refusal?.text}
          </span>
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

type Attributes = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'autoComplete' | 'inputMode' | 'autoCapitalize' | 'spellCheck' | 'autoFocus' | 'readOnly' | 'maxLength'
>;

/** A single-line text field: name, email. */
export function TextField<Values extends FieldValues>(props: FieldProps<Values> & Attributes) {
  const { form, name, label, hint, refusal, messageValues, ...attributes } = props;
  return (
    <FieldFrame {...{ form, name, label, hint, refusal, messageValues }}>
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

type Props<Values extends FieldValues> = FieldProps<Values> & {
  autoComplete: 'current-password' | 'new-password';
};

/** A non-Latin letter suggests another keyboard layout, because it is unlikely in a password here. */
const LETTER = /^\p{L}$/u;
const LATIN = /^\p{Script=Latin}$/u;

/** A password field with a show toggle and a caps lock or keyboard layout hint. Paste and password managers work. */
export function PasswordField<Values extends FieldValues>({ autoComplete, ...field }: Props<Values>) {
  const { t } = useMessages('common');
  const [shown, setShown] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  const [otherLetters, setOtherLetters] = useState(false);
  const noticeKeys = (event: KeyboardEvent<HTMLInputElement>) => {
    setCapsLock(event.getModifierState('CapsLock'));
    if (LETTER.test(event.key)) setOtherLetters(!LATIN.test(event.key));
  };
  const otherLayout = otherLetters ? t('fields.otherLayout') : null;
  return (
    <FieldFrame {...field} remark={capsLock ? t('fields.capsLock') : otherLayout}>
      {(described) => (
        <>
          <input
            className={`${styles.input ?? ''} ${styles.withToggle ?? ''}`}
            type={shown ? 'text' : 'password'}
            autoComplete={autoComplete}
            autoCapitalize="none"
            spellCheck={false}
            onKeyDown={noticeKeys}
            onKeyUp={noticeKeys}
            {...described}
            {...field.form.register(field.name)}
          />
          <button
            type="button"
            className={styles.toggle}
            aria-label={shown ? t('fields.hidePassword') : t('fields.showPassword')}
            onClick={() => setShown(!shown)}
          >
            <Icon glyph={shown ? 'eye-off' : 'eye'} />
            <span aria-hidden="true">{shown ? t('fields.hide') : t('fields.show')}</span>
          </button>
        </>
      )}
    </FieldFrame>
  );
}
