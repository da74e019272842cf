import * as z from 'zod/mini';
import { passkeyName } from '@/lib/shared/account/passkey-name';

export const passkeyNameSchema = z.object({ name: passkeyName });
