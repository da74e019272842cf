import { createContext, useContext } from 'react';
import type { PageConfig } from './app-config';

const AppConfigContext = createContext<PageConfig | null>(null);

export const AppConfigProvider = AppConfigContext.Provider;

/** The app config of this origin, or null where there is none: the page then works with its defaults. */
export function useAppConfig(): PageConfig | null {
  return useContext(AppConfigContext);
}
