import { useId, type ReactNode } from 'react';
import { BusyStatus } from './button';
import buttons from './button.module.css';
import styles from './provider-button.module.css';

export type MarkedButtonProps = {
  mark: ReactNode;
  /** Shown next to the mark. */
  text: string;
  /** The accessible name, if it is not the text. */
  label?: string;
  /** Shown behind the text, and described. */
  note?: string | undefined;
  busy: boolean;
  busyLabel: string;
  onPress: (button: HTMLButtonElement) => void;
  onApproach: () => void;
};

/** A secondary button with a mark: one of several sign-in methods. */
export function MarkedButton(props: MarkedButtonProps) {
  const { mark, text, label, note, busy, busyLabel, onPress, onApproach } = props;
  const noteId = useId();
  return (
    <>
      <button
        type="button"
        name="method"
        className={[buttons.button, buttons.secondary, styles.provider, busy ? buttons.busy : ''].join(' ')}
        aria-label={label ?? text}
        aria-describedby={note === undefined ? undefined : noteId}
        aria-disabled={busy || undefined}
        onClick={busy ? undefined : (event) => onPress(event.currentTarget)}
        onPointerEnter={onApproach}
        onFocus={onApproach}
      >
        <span className={`${buttons.label ?? ''} ${styles.content ?? ''}`}>
          {mark}
          <span>{text}</span>
          {note !== undefined && (
            <span className={styles.note} id={noteId}>
              {note}
            </span>
          )}
        </span>
        {busy && <span className={buttons.spinner} aria-hidden="true" />}
      </button>
      <BusyStatus>{busy && busyLabel}</BusyStatus>
    </>
  );
}
