import type { NextApiHandler } from 'next';
import { ApiProblem } from '@/lib/shared/problem';
import { handleErrors, setApiHeaders } from '@/lib/server/http';
import { getClientAddress, UNKNOWN_ROUTE } from '@/lib/server/runtime';
import { consumeLimit } from '@/lib/server/storage';

export const config = { api: { bodyParser: false } };

/** Handles unknown URLs below /api with an API error instead of the HTML page. */
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
