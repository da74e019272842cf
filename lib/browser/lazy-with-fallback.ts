import { lazy, type ComponentType } from 'react';
import { reportError } from '@/lib/shared/error-reporting/report';

/**
 * A component that is loaded when it is first rendered.
 * @param instead rendered if loading fails, so that the rest of the page keeps working
 */
export function lazyWithFallback<P extends object>(
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
