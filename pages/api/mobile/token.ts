import { z } from 'zod';
import { apiRoute } from '@/lib/server/http/api-route';
import { redeemMobileCode } from '@/lib/server/mobile/codes';

export const config = { api: { bodyParser: false } };

const body = z.object({
  code: z.string().regex(/^[\w-]{43}$/),
  /** 43 to 128 unreserved characters (RFC 7636, section 4.1). */
  code_verifier: z.string().regex(/^[\w.~-]{43,128}$/),
});

/** The mobile app exchanges its code for a custom token of the identity provider. Uses no cookies. */
export default apiRoute(
  { method: 'POST', body, stateChanging: false, audience: 'own', limit: 'mobile-token' },
  async ({ body: { code, code_verifier: verifier } }) => ({ customToken: await redeemMobileCode(code, verifier) }),
);
