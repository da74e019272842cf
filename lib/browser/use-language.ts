import { useContext } from 'react';
import { SOURCE_LANGUAGE, type Language } from '@/lib/shared/i18n/languages';
import { MessagesContext } from './use-messages';

/** The language of the current page, for dates and lists. */
export function useLanguage(): Language {
  return useContext(MessagesContext)?.language ?? SOURCE_LANGUAGE;
}
