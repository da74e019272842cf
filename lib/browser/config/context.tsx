import { createContext, useContext } from 'react';
import type { PageConfig } from '@/lib/shared/config/app-config';
import type { PublicEnv } from '@/lib/shared/config/public-env';

const AppConfigContext = createContext<PageConfig | null>(null);

export const AppConfigProvider = AppConfigContext.Provider;

/** The app config of this origin, or null if there is none: the page then uses its defaults. */
export function useAppConfig(): PageConfig | null {
  return useContext(AppConfigContext);
}

/** The sign-in methods of this origin: the password alone unless it says otherwise (docs/product.md#app-config). */
export function useEnabledIdentities(): readonly string[] {
  return useAppConfig()?.enabledIdentities ?? ['password'];
}

const PublicEnvContext = createContext<PublicEnv | null>(null);

export const PublicEnvProvider = PublicEnvContext.Provider;

/** The public configuration sent with the page. @throws Error outside of a page */
export function usePublicEnv(): PublicEnv {
  const value = useContext(PublicEnvContext);
  if (!value) throw new Error('No page');
  return value;
}
