import type { NextApiHandler } from 'next';
import { ApiProblem } from '@/lib/api/problem';
import { answering } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

/** Every address below /api that is no call: answered as calls are, not with the page for people who are lost. */
const answerUnknown: NextApiHandler = (req, res) =>
  answering(req, res, () => Promise.reject(new ApiProblem('not-found')));

export default answerUnknown;
