import type { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import {
  useForm,
  type DefaultValues,
  type FieldValues,
  type Path,
  type PathValue,
  type Resolver,
  type UseFormReturn,
} from 'react-hook-form';
import { useEarlyInput } from '@/lib/browser/early-input';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import { reportError } from '@/lib/shared/error-reporting/report';
import { Notice } from '../notice';
import { useErrorInTitle } from '../page-title';
import styles from './field.module.css';

type Props = {
  /** The result of `useFlowForm`. */
  flow: { onSubmit: (event: SubmitEventLike) => void; phase: FormPhase<unknown> };
  label: string;
  /** Called when the form gets focus, to preload the code that submitting needs. */
  onApproach?: () => void;
  children: ReactNode;
};

/**
 * A form that is submitted before hydration is submitted again after it
 * (lib/server/http/document/content-security-policy.ts). `method="post"` keeps the input out of the URL if scripts do
 * not run.
 */
export function Form({ flow, label, onApproach, children }: Props) {
  const { t } = useMessages('common');
  const form = useRef<HTMLFormElement>(null);
  useEarlyInput(form);
  useEffect(() => {
    const { current } = form;
    if (!current) return;
    current.setAttribute('data-ready', '');
    // The form got focus before the listener was attached.
    if (current.contains(document.activeElement)) onApproach?.();
    if (!current.hasAttribute('data-early')) return;
    current.removeAttribute('data-early');
    current.requestSubmit();
    // Runs once, after hydration.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return (
    <form
      ref={form}
      className={styles.form}
      method="post"
      noValidate
      aria-label={label}
      onFocus={onApproach}
      onSubmit={flow.onSubmit}
    >
      {flow.phase.name === 'broken' && <Notice tone="error">{t('form.broken')}</Notice>}
      {children}
    </form>
  );
}

/** Delay between typing and showing an error, in milliseconds (docs/product.md#validation). */
export const ERROR_DELAY = 1_500;

/** The state of a form. A failure holds its code; the screen chooses the message. */
export type FormPhase<Failure> =
  | { name: 'idle' }
  | { name: 'submitting' }
  | { name: 'failed'; failure: Failure }
  /** An internal error, for example a chunk that failed to load. */
  | { name: 'broken' }
  | { name: 'done' };

/** Any Standard Schema: the server validates with the same one. */
type Schema<Values> = Parameters<typeof standardSchemaResolver<Values & FieldValues, unknown, Values & FieldValues>>[0];

/** `again`: pressed again while the values were still checked, as by a learner who corrects one on a slow device. */
type Attempt = { again: boolean };

type SubmitEventLike = { preventDefault: () => void; currentTarget?: HTMLFormElement };

export type FlowForm<Values extends FieldValues, Failure> = {
  fields: UseFormReturn<Values>;
  phase: FormPhase<Failure>;
  /** For the `form` element's `onSubmit`. */
  onSubmit: (event?: SubmitEventLike) => void;
  /** Clears a failure, for example when its rate limit has expired. Ignores the outcome of a running attempt. */
  reset: () => void;
};

export type FlowFormOptions<Values extends FieldValues, Failure> = {
  /** A function loads the schema on first use, so the page hydrates sooner. A resolver needs no schema. */
  schema: Schema<Values> | (() => Promise<Schema<Values>>) | { resolver: Resolver<Values> };
  defaults?: DefaultValues<Values>;
  /** @returns null on success, otherwise the failure. The form keeps the input in both cases. */
  submit: (values: Values) => Promise<Failure | null>;
};

/**
 * Handles a form of a flow with react-hook-form. Errors appear 1500 ms after typing, or immediately on submit with focus
 * on the first invalid field. A submit cannot run twice.
 */
export function useFlowForm<Values extends FieldValues, Failure>(
  options: FlowFormOptions<Values, Failure>,
): FlowForm<Values, Failure> {
  const [phase, setPhase] = useState<FormPhase<Failure>>({ name: 'idle' });
  const underWay = useRef<Attempt | null>(null);
  const notLoaded = useRef<Error | null>(null);
  const fields = useForm<Values>({
    resolver: async (live, context, details) => {
      const { schema: given } = options;
      // Copy the values now. The user may type while the schema loads, and half-typed input must not be submitted.
      const values = { ...live };
      if ('resolver' in given) return given.resolver(values, context, details);
      try {
        const [{ standardSchemaResolver }, schema] = await Promise.all([
          import('@hookform/resolvers/standard-schema'),
          typeof given === 'function' ? given() : given,
        ]);
        notLoaded.current = null;
        return await (standardSchemaResolver(schema) as Resolver<Values>)(values, context, details);
      } catch (error) {
        // Do not show this while the user types. Submitting reports it.
        notLoaded.current = error as Error;
        return { values, errors: {} };
      }
    },
    defaultValues: options.defaults,
    mode: 'onChange',
    delayError: ERROR_DELAY,
  });

  useErrorInTitle(
    phase.name === 'failed' || phase.name === 'broken' || Object.keys(fields.formState.errors).length > 0,
  );
  const reset = () => {
    underWay.current = null;
    setPhase({ name: 'idle' });
  };
  useFreshAfterBack(() => {
    reset();
    clearSecrets(fields);
  });

  /** @returns null when the values are not valid */
  const run = async (attempt: Attempt): Promise<FormPhase<Failure> | null> => {
    let outcome = null as FormPhase<Failure> | null;
    do {
      attempt.again = false;
      await fields.handleSubmit(async (values) => {
        if (notLoaded.current) throw notLoaded.current;
        // The form was reset during validation, for example by Back.
        if (underWay.current !== attempt) return;
        setPhase({ name: 'submitting' });
        const failure = await options.submit(values);
        outcome = failure === null ? { name: 'done' } : { name: 'failed', failure };
      })();
    } while (outcome === null && attempt.again);
    return outcome;
  };

  const onSubmit = (event?: SubmitEventLike) => {
    event?.preventDefault();
    takeFieldValues(event?.currentTarget, fields);
    if (underWay.current) {
      underWay.current.again = true;
      return;
    }
    const attempt = (underWay.current = { again: false });
    void run(attempt)
      .catch((error: unknown): FormPhase<Failure> => {
        reportError(error, { during: 'submitting a form' });
        return { name: 'broken' };
      })
      .then((outcome) => {
        // The form was reset during the attempt, for example by Back. It may have been submitted again.
        if (underWay.current !== attempt) return;
        // After success the button stays busy until the next page loads.
        if (outcome?.name !== 'done') underWay.current = null;
        if (outcome) setPhase(outcome);
      });
  };

  return { fields, phase, onSubmit, reset };
}

/** Clears passwords and codes. On a shared computer, another learner may press Back. */
function clearSecrets<Values extends FieldValues>(fields: UseFormReturn<Values>): void {
  for (const name of Object.keys(fields.getValues()) as Path<Values>[])
    if (name !== 'email' && name !== 'name')
      fields.resetField(name, { defaultValue: '' as PathValue<Values, typeof name> });
}

/** Reads the values that the fields show. Some password managers fill in a field without an event. */
export function takeFieldValues<Values extends FieldValues>(
  form: HTMLFormElement | null | undefined,
  fields: UseFormReturn<Values>,
): void {
  const values = fields.getValues();
  for (const { name, value } of form?.querySelectorAll('input') ?? [])
    if (name in values && value !== (values[name] ?? ''))
      fields.setValue(name as Path<Values>, value as PathValue<Values, Path<Values>>);
}

/** Whether the form's button is shown as busy. */
export function isBusy(phase: FormPhase<unknown>): boolean {
  return phase.name === 'submitting' || phase.name === 'done';
}
