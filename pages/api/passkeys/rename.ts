import * as z from 'zod/mini';
import { passkeyName } from '@/lib/shared/account/passkey-name';
import { ApiProblem } from '@/lib/shared/problem';
import { ownRoute, requireRelyingParty } from '@/lib/server/http';
import { renamePasskey, withRecordsInTime } from '@/lib/server/storage';
import { bySession, requireOwnSession } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ id: z.uuid(), name: passkeyName });

/** Renames a passkey of the signed-in user. */
export default ownRoute({ body, limit: bySession('create-session') }, async ({ req, body: { id, name } }) => {
  requireRelyingParty(req);
  const { status } = await requireOwnSession(req);
  const isRenamed = await withRecordsInTime((records) => renamePasskey(records, { uid: status.uid, id, name }));
  if (!isRenamed) throw new ApiProblem('passkey-unknown');
});
