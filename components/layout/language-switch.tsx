import Router from 'next/router';
import { useContext, useEffect, useRef, useState } from 'react';
import { takeFromAddress } from '@/lib/browser/address';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { writeCookie } from '@/lib/browser/cookies';
import { MessagesContext, useMessages } from '@/lib/browser/use-messages';
import { describeLanguage, type Language } from '@/lib/shared/i18n/languages';
import { queryNames } from '@/lib/shared/paths';
import styles from './footer-links.module.css';

type Props = { locales: readonly Language[] };

/** Loads the texts of this page in another language; what was typed and opened on it stays. */
export default function LanguageSwitch({ locales }: Props) {
  const { t } = useMessages('common');
  const { mainDomain } = usePublicEnv();
  const { language, dir } = useContext(MessagesContext);
  const [picked, setPicked] = useState<Language | null>(null);
  const field = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    Object.assign(document.documentElement, { lang: language, dir });
  }, [language, dir]);
  const pick = (next: Language) => {
    setPicked(next);
    writeCookie('language', next, mainDomain);
    // It would win over the choice.
    takeFromAddress(queryNames.lang, queryNames.uiLocales);
    const { pathname, search, hash } = window.location;
    void Router.replace(pathname + search + hash, undefined, { scroll: false }).then(() => {
      setPicked(null);
      field.current?.focus();
    });
  };
  return (
    <select
      ref={field}
      className={styles.languages}
      aria-label={t('footer.language')}
      value={picked ?? language}
      onChange={(event) => pick(event.target.value as Language)}
    >
      {locales.map((each) => (
        <option key={each} value={each} lang={each} dir={describeLanguage(each).dir}>
          {describeLanguage(each).name}
        </option>
      ))}
    </select>
  );
}
