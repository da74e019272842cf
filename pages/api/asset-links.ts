import { buildAssetLinks } from '@/lib/server/passkeys/app-links';
import { wellKnownRoute } from '@/lib/server/passkeys/well-known-route';

export const config = { api: { bodyParser: false } };

/** `/.well-known/assetlinks.json` (middleware.ts). */
export default wellKnownRoute(buildAssetLinks);
