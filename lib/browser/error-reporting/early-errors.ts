import { reportError } from '@/lib/shared/error-reporting/report';

/**
 * Queues errors of our own scripts until the error reporting service has loaded. Errors of extensions and injected
 * scripts are dropped.
 * @returns a function that stops queueing, because the service then listens itself
 */
export function keepEarlyErrors(page: Window & typeof globalThis): () => void {
  const { origin } = page.location;
  const onError = ({ filename, error }: ErrorEvent) => {
    if (filename.startsWith(`${origin}/`)) reportError(error, { during: 'start' });
  };
  const onRejection = ({ reason }: PromiseRejectionEvent) => {
    if (reason instanceof Error && reason.stack?.includes(`${origin}/`)) reportError(reason, { during: 'start' });
  };
  page.addEventListener('error', onError);
  page.addEventListener('unhandledrejection', onRejection);
  return () => {
    page.removeEventListener('error', onError);
    page.removeEventListener('unhandledrejection', onRejection);
  };
}
