import { readWebhook } from '../express/webhooks.mjs';
import { readBody } from './body.mjs';
import { config } from './config.mjs';
import { forget } from './identity.mjs';

/** @typedef {Exclude<Awaited<ReturnType<typeof readWebhook>>, string>} Event */

/** @type {Event[]} A real platform has a table, with the ids in a unique column. */
const events = [];

/** Newest first. */
export const getEvents = () => [...events].reverse();

/** @param {import('node:http').IncomingMessage} req @returns {Promise<number>} the status of the response */
export async function receiveWebhook(req) {
  const isKnown = (/** @type {string} */ id) => events.some((event) => event.id === id);
  const body = await readBody(req);
  if (body === null) return 413;
  const event = await readWebhook(req.headers, body, { secret: config.webhookSecret, isKnown });
  if (event === 'refused') return 400;
  if (event === 'known') return 200;
  await forget(event.data);
  if (event.type !== 'account.deleted') return 200;
  // A real platform deletes its data about the learner here.
  events.push(event);
  console.log(`${event.type} ${event.data.uid}`);
  return 200;
}
