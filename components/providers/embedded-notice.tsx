import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { carryTypedEmail } from '@/lib/browser/account/carried-email';
import { getDestination } from '@/lib/browser/callback';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths, queryNames } from '@/lib/shared/paths';
import styles from './methods.module.css';

/** Replaces Google's button in in-app browsers, which Google rejects. It explains why and offers alternatives. */
export default function EmbeddedNotice() {
  const { t } = useMessages('providers');
  const env = usePublicEnv();
  const [copied, setCopied] = useState<'no' | 'yes' | 'failed'>('no');
  const copy = async () => {
    try {
      // Some of these browsers have no clipboard.
      await navigator.clipboard.writeText(linkToHere(env));
      setCopied('yes');
    } catch {
      setCopied('failed');
    }
  };
  return (
    <Notice tone="info">
      <div className={styles.methods}>
        <p>{t('embedded.text')}</p>
        <Button kind="secondary" onClick={() => void copy()}>
          {copied === 'yes' ? t('embedded.copied') : t('embedded.copy')}
        </Button>
        {copied === 'failed' && (
          <div role="alert">
            <p>{t('embedded.copyFailed')}</p>
            <p>{linkToHere(env)}</p>
          </div>
        )}
        <p>
          <span>{`${t('embedded.or')} `}</span>
          <PageLink href={paths.emailLink} onClick={carryTypedEmail}>
            {t('emailLink')}
          </PageLink>
        </p>
      </div>
    </Notice>
  );
}

/**
 * Returns the link to this page for another browser. It contains the callback, which is only stored in this browser.
 */
function linkToHere(env: PublicEnv): string {
  const link = new URL(paths.signIn, env.appOrigin);
  const destination = getDestination(env);
  if (URL.canParse(destination)) link.searchParams.set(queryNames.redirectUri, destination);
  return link.href;
}
