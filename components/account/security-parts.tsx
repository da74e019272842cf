import Router, { useRouter } from 'next/router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { PageLink } from '@/components/ui/page-link';
import { useMessages } from '@/lib/browser/use-messages';
import { PART_QUERY, pathToPart, SECURITY_PARTS, type SecurityPart } from '@/lib/shared/security-parts';
import styles from './security-parts.module.css';

/** Of the link in view to the edge of its row, in pixels. */
const MARGIN = 48;

const getPartId = (part: SecurityPart) => `part-${part}`;

/** One part of /security. Its first heading receives the focus when its address is opened. */
export function Part({ part, hidden, children }: { part: SecurityPart; hidden: boolean; children: ReactNode }) {
  return (
    <div id={getPartId(part)} className={styles.part} hidden={hidden}>
      {children}
    </div>
  );
}

/** Links to the parts, beside the page on a desktop, a row that stays in view on a phone. */
export function PartsNav({ parts }: { parts: readonly SecurityPart[] }) {
  const { t } = useMessages('security');
  const current = useCurrentPart(parts);
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = row.current?.querySelector<HTMLElement>('[aria-current]');
    // Sideways only: `scrollIntoView` would move the page, too.
    row.current?.scrollTo({ left: (link?.offsetLeft ?? 0) - MARGIN });
  }, [current]);
  return (
    <nav ref={row} className={styles.nav} aria-label={t('parts.label')}>
      <ul>
        {parts.map((part) => (
          <li key={part}>
            <PartLink part={part} isCurrent={part === current}>
              {t(`parts.${part}`)}
            </PartLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

type LinkProps = {
  part: SecurityPart;
  /** Id of the heading that it leads to; by default the part's first one. */
  heading?: string;
  isCurrent?: boolean;
  children: ReactNode;
};

/** Leads to a part without a request: all of them came with the page. */
export function PartLink({ part, heading, isCurrent = false, children }: LinkProps) {
  return (
    <PageLink
      href={pathToPart(part)}
      shallow
      scroll={false}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={() => revealPart(part, heading)}
    >
      {children}
    </PageLink>
  );
}

function useCurrentPart(parts: readonly SecurityPart[]): SecurityPart | undefined {
  const router = useRouter();
  const asked = toPart(router.query[PART_QUERY]);
  const [current, setCurrent] = useState(asked ?? parts[0]);
  useEffect(() => {
    const { hash } = window.location;
    const byHash = toPart(hash.slice(1));
    // Links of before. With a hash in the address, the framework would not load the page's data again after a change.
    if (byHash) void Router.replace(pathToPart(byHash), undefined, { shallow: true, scroll: false });
    else if (asked && !getPart(asked)?.contains(document.activeElement)) revealPart(asked);
  }, [asked]);
  useEffect(() => {
    const update = () => setCurrent(findPartInView(parts));
    window.addEventListener('scroll', update, { passive: true });
    return () => window.removeEventListener('scroll', update);
  }, [parts]);
  return current;
}

function toPart(value: unknown): SecurityPart | undefined {
  return SECURITY_PARTS.find((part) => part === value);
}

const getPart = (part: SecurityPart) => document.getElementById(getPartId(part));

function revealPart(part: SecurityPart, heading?: string): void {
  const within = heading === undefined ? null : document.getElementById(heading);
  const element = getPart(part);
  (within ?? element)?.scrollIntoView();
  (within ?? element?.querySelector<HTMLElement>('h2'))?.focus({ preventScroll: true });
}

/** Within this distance of the window's top, in pixels, a part counts as begun: less than the shortest part is high. */
const BEGUN_BELOW = 128;

/** The last part that has begun; at the end of the page, the last one. */
function findPartInView(parts: readonly SecurityPart[]): SecurityPart | undefined {
  const { scrollHeight } = document.documentElement;
  if (Math.ceil(window.scrollY + window.innerHeight) >= scrollHeight) return parts.at(-1);
  const begun = parts.filter((part) => {
    const top = getPart(part)?.getBoundingClientRect().top;
    return top !== undefined && top < BEGUN_BELOW;
  });
  return begun.at(-1) ?? parts[0];
}
