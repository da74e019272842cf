import { createContext, useContext } from 'react';
import type { PageConfig } from '@/lib/shared/config/app-config';

const AppConfigContext = createContext<PageConfig | null>(null);

export const AppConfigProvider = AppConfigContext.Provider;

/** The app config of this origin, or null if there is none: the page then uses its defaults. */
export function useAppConfig(): PageConfig | null {
  return useContext(AppConfigContext);
}
