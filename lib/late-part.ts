import { lazy, type ComponentType } from 'react';
import { reportError } from '@/lib/sentry/report';

/**
 * A part of the page that is loaded when it is first shown.
 * @param instead takes its place when it does not arrive, so that the rest of the page goes on
 */
export function latePart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  instead: ComponentType<P> = () => null,
) {
  return lazy(() =>
    load().catch((error: unknown) => {
      reportError(error, { during: 'loading a part of the page' });
      return { default: instead };
    }),
  );
}
