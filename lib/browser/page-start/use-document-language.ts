import { useEffect } from 'react';
import type { Texts } from '@/lib/shared/i18n/messages';

/** The document has the language of its texts, also when they change without a page load. */
export function useDocumentLanguage(texts: Texts | undefined): void {
  useEffect(() => {
    if (texts) Object.assign(document.documentElement, { lang: texts.language, dir: texts.dir });
  }, [texts]);
}
