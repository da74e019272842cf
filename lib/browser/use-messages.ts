import { createContext, useContext, useMemo } from 'react';
import type { Language, SOURCE_LANGUAGE } from '@/lib/shared/i18n/languages';
import {
  formatMessage,
  type MessageKey,
  type Namespace,
  type QualifiedKey,
  type Texts,
  type Values,
} from '@/lib/shared/i18n/messages';

/** `_app` sets this to the texts that the server loaded for the page. */
export const MessagesContext = createContext<Texts | undefined>(undefined);

/** Formats a message of its own namespace, or of the namespace in the key. */
export type Translate<N extends Namespace> = (key: MessageKey<N> | QualifiedKey, values?: Values) => string;

/**
 * Returns the messages of the current page. i18next's hook would add a tenth to the initial JavaScript (docs/adr/0019).
 * @param namespace for keys without a namespace; namespaces.ts lists the namespaces of each page
 * @returns `t`, with a stable identity until the page changes
 */
export function useMessages<N extends Namespace>(namespace: N): { t: Translate<N> } {
  const texts = useContext(MessagesContext);
  return useMemo(() => ({ t: (key, values) => formatMessage(texts, namespace, key, values) }), [texts, namespace]);
}

/** Returns the page's language, for dates and lists. Importing the table of languages would enlarge the first scripts. */
export function useLanguage(): Language {
  return useContext(MessagesContext)?.language ?? ('en' satisfies typeof SOURCE_LANGUAGE);
}
