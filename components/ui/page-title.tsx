import Head from 'next/head';
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { useHeadingFocus } from '@/lib/browser/page-start';
import { useMessages } from '@/lib/browser/use-messages';

type CountErrors = (update: (count: number) => number) => void;

const ErrorCountContext = createContext<CountErrors>(() => undefined);

/**
 * The title of a page's tab. Starts with `Error:` while a form inside has an error, because a screen reader announces
 * the title first. Rendered in the head, so that it is removed with its page. Every screen has one, so it also moves the
 * focus to the heading of a new screen.
 */
export function PageTitle({ title, children }: { title: string; children: ReactNode }) {
  const { t } = useMessages('common');
  const [errorCount, setErrorCount] = useState(0);
  useHeadingFocus(title);
  return (
    <ErrorCountContext.Provider value={setErrorCount}>
      <Head>
        <title>{errorCount > 0 ? t('form.errorTitle', { title }) : title}</title>
      </Head>
      {children}
    </ErrorCountContext.Provider>
  );
}

/** Counts a form with an error in the title of its page. */
export function useErrorInTitle(hasError: boolean): void {
  const countErrors = useContext(ErrorCountContext);
  useEffect(() => {
    if (!hasError) return;
    countErrors((count) => count + 1);
    return () => countErrors((count) => count - 1);
  }, [hasError, countErrors]);
}
