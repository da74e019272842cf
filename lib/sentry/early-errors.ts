import { reportError } from './report';

/**
 * Keeps what goes wrong before the error service has loaded, as far as it comes from our own scripts; what
 * extensions and injected scripts throw is left out.
 * @returns a function that stops keeping: the error service then listens itself
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
