import { buildPasskeyEndpoints, wellKnownRoute } from '@/lib/server/passkeys';

export const config = { api: { bodyParser: false } };

/** `/.well-known/passkey-endpoints` (middleware.ts). */
export default wellKnownRoute(buildPasskeyEndpoints);
