import { buildAppleAppSiteAssociation } from '@/lib/server/passkeys/app-links';
import { wellKnownRoute } from '@/lib/server/passkeys/well-known-route';

export const config = { api: { bodyParser: false } };

/** `/.well-known/apple-app-site-association` (middleware.ts). */
export default wellKnownRoute(buildAppleAppSiteAssociation);
