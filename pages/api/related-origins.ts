import { buildRelatedOrigins, wellKnownRoute } from '@/lib/server/passkeys';

export const config = { api: { bodyParser: false } };

/** `/.well-known/webauthn` (middleware.ts). */
export default wellKnownRoute(buildRelatedOrigins);
