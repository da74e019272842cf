import { useEffect, useState, type ReactNode } from 'react';
import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import type { FieldRefusal } from '@/components/ui/form/fields';
import { useFlowForm, type FlowForm, type FlowFormOptions } from '@/components/ui/form/form';
import { useAttempt } from '@/lib/browser/hooks';

/** Not the form's `setFocus`, which waits a task. */
const getField = (name: string) => document.getElementsByName(name)[0] as HTMLInputElement | undefined;

/**
 * What the server refused in a field for a code: it gets focus and is selected, so that typing replaces it.
 * @param text null: it refused nothing there
 * @param clear called when the user changes it
 */
export function useRefusedCode(text: ReactNode, clear: () => void, name = 'code'): FieldRefusal | null {
  const isRefused = text !== null;
  useEffect(() => {
    if (!isRefused) return;
    getField(name)?.focus();
    getField(name)?.select();
  }, [isRefused, name]);
  return isRefused ? { text, clear } : null;
}

/** Clears a failure and the field `code`, which gets focus: its value is no longer valid after another code was sent. */
export function restartCode<Values extends FieldValues & { code: string }>(form: {
  fields: UseFormReturn<Values>;
  reset: () => void;
}): void {
  form.reset();
  const name = 'code' as Path<Values>;
  form.fields.resetField(name, { defaultValue: '' as PathValue<Values, typeof name> });
  getField('code')?.focus();
}

type Send = FlowForm<FieldValues, unknown>['onSubmit'];

/** How long after its response a click still counts as part of the automatic submit, in milliseconds. */
const SAME_PRESS = 1_000;

/**
 * A complete code is submitted automatically, and users often also submit it a moment later: that click must not use up
 * a second attempt.
 */
export class AutoSubmitGuard {
  private state: 'by-hand' | 'sent-itself' | { answeredAt: number } = 'by-hand';

  /** The code is complete. */
  complete(send: Send): void {
    this.state = 'sent-itself';
    send();
  }

  /** The response has arrived. */
  answered(now = Date.now()): void {
    if (this.state === 'sent-itself') this.state = { answeredAt: now };
  }

  /** The user clicked the button or pressed Enter. */
  press(send: Send, event?: Parameters<Send>[0], now = Date.now()): void {
    event?.preventDefault();
    const isSamePress = typeof this.state === 'object' && now - this.state.answeredAt <= SAME_PRESS;
    this.state = 'by-hand';
    // With the form: a password manager may have filled in the code without an event.
    if (!isSamePress) send(event);
  }
}

/** The form of a code, which submits itself: the field calls `onComplete`. */
export function useCodeForm<Values extends FieldValues, Failure>(
  options: FlowFormOptions<Values, Failure>,
): FlowForm<Values, Failure> & { onComplete: () => void } {
  const [guard] = useState(() => new AutoSubmitGuard());
  const form = useFlowForm<Values, Failure>({
    ...options,
    submit: (...given) => {
      begin();
      return options.submit(...given).finally(() => guard.answered());
    },
  });
  const begin = useAttempt(form.reset);
  return {
    ...form,
    onSubmit: (event) => guard.press(form.onSubmit, event),
    onComplete: () => guard.complete(form.onSubmit),
  };
}
