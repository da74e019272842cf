import { useId, useRef, useState, type ReactNode, type Ref } from 'react';
import { flushSync } from 'react-dom';
import styles from './security.module.css';

type Props = {
  id: string;
  level: 'h2' | 'h3';
  label: string;
  value?: string | undefined;
  /** Whether the content says the value, too. */
  repeats?: boolean;
  /** Whether it was open before a step that replaced it. */
  startsOpen?: boolean;
  headingRef?: Ref<HTMLHeadingElement>;
  children: ReactNode;
};

/**
 * A row of /security: its label, and its value in one line. On a phone, the whole row is a button that opens the content.
 * What gets the focus, and what has something to say, is open.
 */
export function AccountRow(props: Props) {
  const { id, level: Heading, label, value, repeats = false, startsOpen = false, headingRef, children } = props;
  const [isOpen, setIsOpen] = useState(startsOpen);
  const valueId = useId();
  const bodyId = useId();
  const open = () => setIsOpen(true);
  const body = useRef<HTMLDivElement>(null);
  const toggle = () => {
    flushSync(() => setIsOpen(!isOpen));
    // On a phone, the content of the last row would open below the screen.
    body.current?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <div className={styles.head}>
        <Heading ref={headingRef} id={id} tabIndex={-1} onFocus={open}>
          {label}
        </Heading>
        {value && (
          <p id={valueId} className={repeats ? styles.repeated : styles.value}>
            {value}
          </p>
        )}
        <button
          type="button"
          className={styles.toggle}
          aria-labelledby={id}
          aria-describedby={valueId}
          aria-expanded={isOpen}
          aria-controls={bodyId}
          onClick={toggle}
        />
      </div>
      <div ref={body} id={bodyId} className={styles.body} data-open={isOpen || undefined} onFocus={open}>
        {children}
      </div>
    </>
  );
}
