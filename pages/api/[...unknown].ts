import type { NextApiHandler } from 'next';
import { ApiProblem } from '@/lib/shared/problem';
import { handleErrors, setApiHeaders } from '@/lib/server/http';
import { getClientAddress, UNKNOWN_ROUTE } from '@/lib/server/runtime';
import { consumeLimit } from '@/lib/server/storage';

export const config = { api: { bodyParser: false } };

/** Unknown URLs under /api: respond with an API error, not with the HTML "not found" page. */
const respondNotFound: NextApiHandler = (req, res) =>
  handleErrors(
    req,
    res,
    async () => {
      setApiHeaders(res);
      await consumeLimit('unknown-route', getClientAddress(req));
      throw new ApiProblem('not-found');
    },
    { route: UNKNOWN_ROUTE },
  );

export default respondNotFound;
