import { useEffect, useRef, type ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Button } from '@/components/ui/button';
import { Form, isBusy, type FlowForm } from '@/components/ui/form/form';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './security.module.css';

type Props<Values extends FieldValues> = {
  label: string;
  form: FlowForm<Values, unknown>;
  save: string;
  cancel: string;
  onCancel: () => void;
  /** Whether the field's text is selected, so that typing replaces it. */
  selects?: boolean;
  children: ReactNode;
};

/**
 * A form that replaces the changed item. Its field gets the focus. Escape cancels, unless it ends an input method's
 * composition. That is keyCode 229, also in Safari, where `isComposing` is already false.
 */
export function FormInPlace<Values extends FieldValues>(props: Props<Values>) {
  const { label, form, save, cancel, onCancel, selects = false, children } = props;
  const { t } = useMessages('security');
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const field = box.current?.querySelector('input');
    field?.focus();
    if (selects) field?.select();
  }, [selects]);
  return (
    <div ref={box} onKeyDown={({ key, keyCode }) => key === 'Escape' && keyCode !== 229 && onCancel()}>
      <Form label={label} flow={form}>
        {children}
        <div className={styles.choices}>
          <Button type="submit" busy={isBusy(form.phase)} busyLabel={t('proof.working')}>
            {save}
          </Button>
          <Button kind="quiet" onClick={onCancel}>
            {cancel}
          </Button>
        </div>
      </Form>
    </div>
  );
}
