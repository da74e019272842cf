import { useEffect, useState, type ReactNode } from 'react';
import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import type { FieldRefusal } from '@/components/ui/form/fields';
import { useFlowForm, type FlowForm, type FlowFormOptions } from '@/components/ui/form/form';
import { useAttempt } from '@/lib/browser/hooks';
import { LIFETIME } from '@/lib/shared/browser-cookies';

/** Returns the field itself, because the form's `setFocus` waits for a task. */
const getField = (name: string) => document.getElementsByName(name)[0] as HTMLInputElement | undefined;

/**
 * Shows the server's refusal of a code at its field. The field gets the focus and is selected, so that typing replaces
 * the code.
 * @param text the refusal, or null
 * @param clear called when the user changes the code
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

/**
 * Clears a failure and the field `code`, which gets the focus. Its value is no longer valid after another code was
 * sent.
 */
export function restartCode<Values extends FieldValues & { code: string }>(form: {
  fields: UseFormReturn<Values>;
  reset: () => void;
}): void {
  form.reset();
  const name = 'code' as Path<Values>;
  form.fields.resetField(name, { defaultValue: '' as PathValue<Values, typeof name> });
  getField('code')?.focus();
}

/**
 * Returns until when a code works, in milliseconds since 1970. Null until the page is hydrated, because only the browser
 * has the reader's time zone.
 * @param worksFor seconds that the code of the page has left
 * @returns the time, and a function for the moment at which another code was sent
 */
export function useCodeEnd(worksFor: number): { until: number | null; renew: () => void } {
  const [until, setUntil] = useState<number | null>(null);
  const start = (seconds: number) => setUntil(Date.now() + seconds * 1_000);
  useEffect(() => {
    queueMicrotask(() => start(worksFor));
  }, [worksFor]);
  return { until, renew: () => start(LIFETIME.veryShort) };
}

type Send = FlowForm<FieldValues, unknown>['onSubmit'];

/** How long after its response a click still counts as part of the automatic submit, in milliseconds. */
const SAME_PRESS = 1_000;

/**
 * Ignores a click just after the automatic submit. Users often also submit a complete code, and that click must not use
 * up a second try.
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
    // Pass the form, because a password manager may have filled in the code without an event.
    if (!isSamePress) send(event);
  }
}

/** Handles the form of a code, which submits itself when the field calls `onComplete`. */
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
