import { buildRelatedOrigins } from '@/lib/server/passkeys/app-links';
import { wellKnownRoute } from '@/lib/server/passkeys/well-known-route';

export const config = { api: { bodyParser: false } };

/** `/.well-known/webauthn` (middleware.ts). */
export default wellKnownRoute(buildRelatedOrigins);
