import { createContext, useContext } from 'react';
import type { AppConfig } from './app-config';

const AppConfigContext = createContext<AppConfig | null>(null);

export const AppConfigProvider = AppConfigContext.Provider;

/** The app config of this origin, or null where there is none: the page then works with its defaults. */
export function useAppConfig(): AppConfig | null {
  return useContext(AppConfigContext);
}
