import { useState, type KeyboardEvent } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useMessages } from '@/lib/browser/use-messages';
import { Icon } from '../icons';
import { FieldFrame, type FieldProps } from './field-frame';
import styles from './field.module.css';

type Props<Values extends FieldValues> = FieldProps<Values> & {
  autoComplete: 'current-password' | 'new-password';
};

/** A non-Latin letter is unlikely in a password here: the keyboard is probably set to another layout. */
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
            aria-pressed={shown}
            aria-label={t('fields.showPassword')}
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
