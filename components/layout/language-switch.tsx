import Router from 'next/router';
import { useEffect, useRef, useState } from 'react';
import { useLanguage } from '@/lib/browser/use-language';
import { useMessages } from '@/lib/browser/use-messages';
import { describeLanguage, type Language } from '@/lib/shared/i18n/languages';
import { languageQuery } from '@/lib/shared/paths';

type Props = { locales: readonly Language[] };

/** Shows this page in another language; what was typed and opened on it stays. The server keeps the choice. */
export function LanguageSwitch({ locales }: Props) {
  const { t } = useMessages('common');
  const language = useLanguage();
  const [picked, setPicked] = useState<Language | null>(null);
  const field = useRef<HTMLSelectElement>(null);
  // In place of the button that was pressed.
  useEffect(() => field.current?.focus(), []);
  const pick = async (next: Language) => {
    setPicked(next);
    const { pathname, searchParams, hash } = new URL(window.location.href);
    Object.values(languageQuery).forEach((name) => searchParams.delete(name));
    const shown = [pathname, searchParams.size > 0 && `?${searchParams.toString()}`, hash].filter(Boolean).join('');
    searchParams.set(languageQuery.lang, next);
    await Router.replace(`${pathname}?${searchParams.toString()}`, shown, { scroll: false });
    setPicked(null);
    // A new heading has got it.
    field.current?.focus();
  };
  return (
    <select
      ref={field}
      aria-label={t('footer.language')}
      value={picked ?? language}
      onChange={(event) => void pick(event.target.value as Language)}
    >
      {locales.map((each) => (
        <option key={each} value={each} lang={each} dir={describeLanguage(each).dir}>
          {describeLanguage(each).name}
        </option>
      ))}
    </select>
  );
}
