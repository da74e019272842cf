import { useState } from 'react';
import { fetchOlderEvents } from '@/lib/browser/account/activity';
import type { Activity } from '@/lib/shared/account/activity';

/** The account's events so far, and how to load older ones. @param first those that came with the page */
export function useActivity(first: Activity) {
  const [older, setOlder] = useState<Activity>({ events: [], more: first.more });
  const [phase, setPhase] = useState<'idle' | 'loading' | 'failed'>('idle');
  const events = [...first.events, ...older.events];

  const load = async () => {
    const last = events.at(-1);
    if (last === undefined) return;
    setPhase('loading');
    const next = await fetchOlderEvents(last.id);
    setPhase(next === null ? 'failed' : 'idle');
    if (next !== null) setOlder({ events: [...older.events, ...next.events], more: next.more });
  };
  return { events, more: older.more, phase, showMore: () => void load() };
}
