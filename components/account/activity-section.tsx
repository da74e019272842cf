import { useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { displayMoment, displayRecent, useDate } from '@/lib/browser/dates';
import { useClientValue } from '@/lib/browser/hooks';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { useVisits } from '@/lib/browser/use-visits';
import type { Activity, ActivityEvent } from '@/lib/shared/account/activity';
import { fetchOlderEvents } from '@/lib/browser/account/account-data';
import { AccountRow } from './account-row';
import { useNames } from './security-parts';
import styles from './security.module.css';

/** Shows the account's sign-ins and changes of the last 13 months, newest first. */
export function ActivitySection({ first, value }: { first: Activity | 'unavailable'; value: string | undefined }) {
  const { t } = useMessages('security');
  return (
    <section className={styles.fold} aria-labelledby="security-activity">
      <AccountRow id="security-activity" level="h2" label={t('activity.heading')} value={value}>
        <div className={styles.card}>
          <div className={styles.block}>
            <p className={styles.intro}>{t('activity.text')}</p>
            {first === 'unavailable' ? (
              <Notice tone="error">{t('activity.unavailable')}</Notice>
            ) : (
              <Events first={first} />
            )}
          </div>
        </div>
      </AccountRow>
    </section>
  );
}

/** Number of events shown at first. */
const NEWEST = 5;

/** @param props `first`: the events that came with the page */
function Events({ first }: { first: Activity }) {
  const { t } = useMessages('security');
  const [older, setOlder] = useState<Activity>({ events: [], more: first.more });
  const [phase, setPhase] = useState<'idle' | 'loading' | 'failed'>('idle');
  const visits = useVisits(() => setPhase('idle'));
  const { more } = older;
  const loaded = [...first.events, ...older.events];
  const showMore = async () => {
    const last = loaded.at(-1);
    if (last === undefined) return;
    const visit = visits.current;
    setPhase('loading');
    const next = await fetchOlderEvents(last.id);
    // This response belongs to the page before Back, which may have requested these events again.
    if (visit !== visits.current) return;
    setPhase(next === null ? 'failed' : 'idle');
    if (next !== null) setOlder({ events: [...older.events, ...next.events], more: next.more });
  };
  const [showsAll, setShowsAll] = useState(false);
  const events = showsAll ? loaded : loaded.slice(0, NEWEST);
  const list = useRef<HTMLUListElement>(null);
  const shown = useRef(events.length);
  useEffect(() => {
    // The button may be gone, so move the focus to the first added event.
    if (events.length > shown.current) (list.current?.children[shown.current] as HTMLElement | undefined)?.focus();
    shown.current = events.length;
  }, [events.length]);
  if (events.length === 0) return <p className={styles.soft}>{t('activity.empty')}</p>;
  return (
    <>
      <ul className={styles.methods} ref={list} aria-labelledby="security-activity">
        {events.map((event) => (
          <EventItem key={event.id} event={event} />
        ))}
      </ul>
      {phase === 'failed' && <Notice tone="error">{t('activity.unavailable')}</Notice>}
      {!showsAll && (more || loaded.length > NEWEST) && (
        <Button kind="secondary" onClick={() => setShowsAll(true)}>
          {t('activity.all')}
        </Button>
      )}
      {showsAll && more && (
        <Button
          kind="secondary"
          busy={phase === 'loading'}
          busyLabel={t('activity.loading')}
          onClick={() => void showMore()}
        >
          {t('activity.more')}
        </Button>
      )}
    </>
  );
}

function EventItem({ event: { kind, at, browser, system, method, bySupport } }: { event: ActivityEvent }) {
  const { t } = useMessages('security');
  const { nameClient, nameMethod } = useNames();
  const client = nameClient({ browser, system });
  const language = useLanguage();
  const exact = useClientValue(() => displayMoment(at, language), undefined);
  return (
    <li className={styles.event} tabIndex={-1}>
      <span>{t(`activity.kinds.${kind}`)}</span>
      {method !== null && <span>{` ${t('activity.by', { method: nameMethod(method) })}`}</span>}
      <span className={styles.detail}>
        <time dateTime={at} title={exact}>
          {useDate(at, displayRecent)}
        </time>
        {client !== null && <span>{` · ${client}`}</span>}
        {bySupport && <span>{` · ${t('activity.bySupport')}`}</span>}
      </span>
    </li>
  );
}
