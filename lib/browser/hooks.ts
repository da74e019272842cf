import { lazy, useEffect, useRef, useSyncExternalStore, type ComponentType, type RefObject } from 'react';
import { reportError } from '@/lib/shared/error-reporting/report';

/**
 * Returns a value that only the browser has, such as a cookie. Server rendering and hydration use a value that is valid
 * for all users.
 * @param read called on every render; equal results must be the same reference
 * @param before the value until hydration is complete
 */
export function useClientValue<T>(read: () => T, before: T): T {
  return useSyncExternalStore(never, read, () => before);
}

function never() {
  return () => undefined;
}

/**
 * Calls a function when the page is restored from the back/forward cache. The page must not still show its spinner then.
 * @returns the function of the last rendering
 */
export function useFreshAfterBack(refresh: () => void): RefObject<() => void> {
  const latest = useRef(refresh);
  useEffect(() => {
    latest.current = refresh;
  });
  useEffect(() => {
    const onShow = (event: PageTransitionEvent) => {
      if (event.persisted) latest.current();
    };
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, []);
  return latest;
}

const methods = new Set<RefObject<() => void>>();

/**
 * Ensures that a page with several sign-in methods shows only the message of the last attempt.
 * @param reset clears this method's message and ignores the outcome of its attempt; also called after Back
 * @returns a function that resets the other methods; call it when an attempt of this method begins
 */
export function useAttempt(reset: () => void): () => void {
  const own = useFreshAfterBack(reset);
  useEffect(() => {
    methods.add(own);
    return () => void methods.delete(own);
  }, [own]);
  return () => methods.forEach((method) => method !== own && method.current());
}

/**
 * Creates a component that is loaded when it is first rendered.
 * @param instead rendered if loading fails, so that the rest of the page keeps working
 */
export function lazyWithFallback<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  instead: ComponentType<P> = () => null,
) {
  return lazy(() =>
    load().catch((error: unknown) => {
      reportError(error, { during: 'loading a part' });
      return { default: instead };
    }),
  );
}

/**
 * Focuses the first field on desktops. On phones, the on-screen keyboard would cover the page
 * (docs/product.md#visual-design). Does nothing if another element already has focus.
 * @param name the field's name
 */
export function useFirstFocus(name: string): void {
  useEffect(() => {
    const isDesktop = window.matchMedia('(min-width: 48rem) and (pointer: fine)').matches;
    // Focus synchronously. The form's `setFocus` waits for a task and could take the focus from a user who is typing.
    if (isDesktop && document.activeElement === document.body) document.getElementsByName(name)[0]?.focus();
  }, [name]);
}

/** Delay after page load before the page loads anything that the visitor did not request, in milliseconds. */
const SETTLED_AFTER = 2_000;

/** Runs work once the browser is idle. If the browser cannot report that, it runs after a second. */
export function whenIdle(work: () => void): void {
  if (typeof window.requestIdleCallback === 'function') window.requestIdleCallback(work);
  else setTimeout(work, 1_000);
}

/**
 * Runs low-priority work some time after the page has loaded, so that it does not slow down users who sign in
 * immediately with a password manager.
 */
export function whenSettled(work: () => void): void {
  const settle = () => setTimeout(() => whenIdle(work), SETTLED_AFTER);
  if (document.readyState === 'complete') settle();
  else window.addEventListener('load', settle, { once: true });
}
