// First paint of the sign-in page and of another page, by turns: PEER_URL=http://localhost:4000/login npm run bench -- peer
import { median } from './lib/stage.mjs';
import { paintOf } from './lib/slow-phone.mjs';

const ROUNDS = 5;

/** @type {import('./bench.mjs').Bench} */
export async function peer({ places, browser }) {
  const other = process.env.PEER_URL;
  if (!other) {
    console.log('  Left out: PEER_URL names no page to compare with.');
    return [];
  }
  /** @type {{ ours: number[], theirs: number[] }} */
  const visits = { ours: [], theirs: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [ours, theirs] = [await paintOf(browser, `${places.appOrigin}/sign-in`), await paintOf(browser, other)];
    if (round === 0) continue;
    visits.ours.push(ours);
    visits.theirs.push(theirs);
  }
  const [ours, theirs] = [Math.round(median(visits.ours)), Math.round(median(visits.theirs))];
  return [
    { what: 'first paint of the other page', value: theirs, unit: 'ms' },
    { what: 'first paint of /sign-in', value: ours, unit: 'ms', budget: `≤ ${theirs}`, ok: ours <= theirs },
  ];
}
