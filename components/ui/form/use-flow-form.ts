import type { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useTranslation } from 'next-i18next/pages';
import { useEffect, useRef, useState } from 'react';
import { reportError } from '@/lib/sentry/report';
import { useFreshAfterBack } from '@/lib/use-fresh-after-back';
import { useForm, type DefaultValues, type FieldValues, type Resolver, type UseFormReturn } from 'react-hook-form';

/** How long after typing an error is shown, in milliseconds (specification, section 5). */
export const ERROR_DELAY = 1_500;

/** Where a form stands. A failure names its code; its text is the screen's business. */
export type FormPhase<Failure> =
  | { name: 'idle' }
  | { name: 'submitting' }
  | { name: 'failed'; failure: Failure }
  /** Something of our own did not work, such as a part of the page that did not arrive. */
  | { name: 'broken' }
  | { name: 'done' };

/** Any schema of the Standard Schema family: the server checks with the very same one. */
type Schema<Values> = Parameters<typeof standardSchemaResolver<Values & FieldValues, unknown, Values & FieldValues>>[0];

export type FlowForm<Values extends FieldValues, Failure> = {
  fields: UseFormReturn<Values>;
  phase: FormPhase<Failure>;
  /** For the `form` element's `onSubmit`. */
  onSubmit: (event?: { preventDefault: () => void }) => void;
  /** Takes a failure away, e.g. when its time is over. */
  reset: () => void;
};

type Options<Values extends FieldValues, Failure> = {
  /** Given as a function it is loaded when it is first needed, and the page is usable sooner; a resolver needs no schema at all. */
  schema: Schema<Values> | (() => Promise<Schema<Values>>) | { resolver: Resolver<Values> };
  defaults?: DefaultValues<Values>;
  /**
   * @param fields for errors that only the server finds
   * @returns null when it went well, otherwise why not; what was typed stays in both cases
   */
  submit: (values: Values, fields: UseFormReturn<Values>) => Promise<Failure | null>;
};

/**
 * One form of a flow: values and errors by react-hook-form, errors 1500 ms after typing or at once on submit with focus
 * on the first wrong field, and a submit that cannot run twice.
 */
export function useFlowForm<Values extends FieldValues, Failure>(
  options: Options<Values, Failure>,
): FlowForm<Values, Failure> {
  const [phase, setPhase] = useState<FormPhase<Failure>>({ name: 'idle' });
  const underWay = useRef(false);
  const notLoaded = useRef<Error | null>(null);
  const fields = useForm<Values>({
    resolver: async (values, context, details) => {
      const { schema: given } = options;
      if ('resolver' in given) return given.resolver(values, context, details);
      try {
        const [{ standardSchemaResolver }, schema] = await Promise.all([
          import('@hookform/resolvers/standard-schema'),
          typeof given === 'function' ? given() : given,
        ]);
        notLoaded.current = null;
        return await (standardSchemaResolver(schema) as Resolver<Values>)(values, context, details);
      } catch (error) {
        // Nobody is told while typing: sending says it.
        notLoaded.current =
          error instanceof Error ? error : new Error('A part of the form is missing', { cause: error });
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
  useFreshAfterBack(() => {
    underWay.current = false;
    setPhase({ name: 'idle' });
  });

  const run = async (values: Values) => {
    if (notLoaded.current) throw notLoaded.current;
    setPhase({ name: 'submitting' });
    const failure = await options.submit(values, fields);
    setPhase(failure === null ? { name: 'done' } : { name: 'failed', failure });
    // After success the button stays busy until the next page takes over.
    if (failure !== null) underWay.current = false;
  };

  const onSubmit = (event?: { preventDefault: () => void }) => {
    event?.preventDefault();
    if (underWay.current) return;
    underWay.current = true;
    const checkAndRun = fields.handleSubmit(run, () => {
      underWay.current = false;
    });
    checkAndRun().catch((error: unknown) => {
      underWay.current = false;
      setPhase({ name: 'broken' });
      reportError(error, { during: 'submitting a form' });
    });
  };

  return { fields, phase, onSubmit, reset: () => setPhase({ name: 'idle' }) };
}

/** Whether the form's button is to be shown busy. */
export function isBusy(phase: FormPhase<unknown>): boolean {
  return phase.name === 'submitting' || phase.name === 'done';
}

/** Says `Error:` in the page's title while something is wrong, for whoever hears the title first. */
function useErrorInTitle(wrong: boolean): void {
  const { t } = useTranslation('common');
  useEffect(() => {
    if (!wrong) return;
    const before = document.title;
    document.title = t('form.errorTitle', { title: before });
    return () => {
      document.title = before;
    };
  }, [wrong, t]);
}
