import { createContext, useContext } from 'react';
import type { PublicEnv } from '@/lib/shared/config/public-env';

const PublicEnvContext = createContext<PublicEnv | null>(null);

export const PublicEnvProvider = PublicEnvContext.Provider;

/** The public configuration sent with the page. @throws Error outside of a page */
export function usePublicEnv(): PublicEnv {
  const value = useContext(PublicEnvContext);
  if (!value) throw new Error('No page');
  return value;
}
