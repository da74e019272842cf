import { vi } from 'vitest';

/**
 * Sets the configuration of a deployment on `campus.example` for unit tests. Call it before anything reads the
 * configuration.
 */
export function stubPublicDomain(): void {
  const variables = {
    NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example',
    NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
    NEXT_PUBLIC_PLATFORM_ORIGIN: 'https://learn.campus.example',
    SESSION_BACKEND: 'upstream',
    UPSTREAM_IDENTITY_URL: 'https://upstream.example',
    TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 7).toString('base64'),
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}
