import Router, { useRouter } from 'next/router';
import { useEffect, useState, type ReactNode } from 'react';
import { PageLink } from '@/components/ui/page-link';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import {
  PART_QUERY,
  SECURITY_PARTS,
  pathToPart,
  type SecurityPart,
  type WaysToSignIn,
} from '@/lib/shared/account/security';
import { Strokes } from '@/components/ui/icons';
import { OWN_METHODS, getMethodName, isOrganization } from '@/lib/shared/sign-in-methods';
import styles from './security-parts.module.css';

const getPartId = (part: SecurityPart) => `part-${part}`;

/** A part of /security. Its first heading gets the focus when its URL is opened. */
export function Part({ part, hidden, children }: { part: SecurityPart; hidden: boolean; children: ReactNode }) {
  return (
    <div id={getPartId(part)} className={styles.part} hidden={hidden}>
      {children}
    </div>
  );
}

/** Links to the parts, next to the page on a desktop. On a phone, the rows themselves are short. */
export function PartsNav({ parts }: { parts: readonly SecurityPart[] }) {
  const { t } = useMessages('security');
  const current = useCurrentPart(parts);
  return (
    <nav className={styles.nav} aria-label={t('parts.label')}>
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
  /** Id of the target heading, by default the part's first heading. */
  heading?: string;
  isCurrent?: boolean;
  children: ReactNode;
};

/** Opens a part without a request, because all parts came with the page. */
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
    // Old links use a hash.
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

/** By id and not by ref, because the URL and links in other parts name it. The id is its address. */
const getPart = (part: SecurityPart) => document.getElementById(getPartId(part));

function revealPart(part: SecurityPart, heading?: string): void {
  const within = heading === undefined ? null : document.getElementById(heading);
  const element = getPart(part);
  (within ?? element)?.scrollIntoView();
  (within ?? element?.querySelector<HTMLElement>('h2'))?.focus({ preventScroll: true });
}

/**
 * A part has begun if it is within this distance of the window's top, in pixels. It is less than the height of the
 * shortest part.
 */
const BEGUN_BELOW = 128;

/** Returns the last part that has begun. At the end of the page, it is the last part. */
function findPartInView(parts: readonly SecurityPart[]): SecurityPart | undefined {
  const { scrollHeight } = document.documentElement;
  // Heights are fractions of pixels with different rounding.
  if (window.scrollY + window.innerHeight >= scrollHeight - 1) return parts.at(-1);
  const begun = parts.filter((part) => {
    const top = getPart(part)?.getBoundingClientRect().top;
    return top !== undefined && top < BEGUN_BELOW;
  });
  return begun.at(-1) ?? parts[0];
}

// Separate from the icons of all pages, because /sign-in would load them.
const STROKES: Record<'phone' | 'computer', ReactNode> = {
  phone: <path d="M8.5 2.5h7a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2zM11 18.5h2" />,
  computer: <path d="M5 4.5h14a1.5 1.5 0 0 1 1.5 1.5v9.5h-17V6A1.5 1.5 0 0 1 5 4.5zM1.5 18.5h21" />,
};

/** An icon next to text with the same meaning. Hidden from screen readers. */
export function AccountIcon({ glyph }: { glyph: keyof typeof STROKES }) {
  return <Strokes size="1.25em">{STROKES[glyph]}</Strokes>;
}

const METHODS_WITH_TEXT = ['password', ...OWN_METHODS] as const;

/**
 * Returns a function that lists the remaining methods, such as `password, Google, or 1 other passkey`.
 * @param countPasskeys returns the text for a number of passkeys
 */
export function useRemaining(): (left: WaysToSignIn, countPasskeys: (count: number) => string) => string {
  const language = useLanguage();
  const { nameMethod } = useNames();
  return (left, countPasskeys) => {
    const names = left.methods.filter(({ usable }) => usable).map(({ id }) => nameMethod(id));
    if (left.passkeys > 0) names.push(countPasskeys(left.passkeys));
    return new Intl.ListFormat(language, { type: 'disjunction' }).format(names);
  };
}

/** Names sign-in methods and browsers. */
export function useNames() {
  const { t } = useMessages('security');
  return {
    /** @param method the identity provider's id */
    nameMethod: (method: string): string => {
      const own = METHODS_WITH_TEXT.find((id) => id === method);
      if (own !== undefined) return t(`activity.methods.${own}`);
      return isOrganization(method) ? t('sso') : getMethodName(method);
    },
    /** @returns for example `Chrome on Android`, or null if unknown */
    nameClient: ({ browser, system }: { browser: string | null; system: string | null }): string | null =>
      browser && system ? t('activity.client', { browser, system }) : (browser ?? system),
  };
}
