import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { currentDestination } from '@/lib/callback/browser';
import type { PublicEnv } from '@/lib/config/public-env';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths, queryNames } from '@/lib/paths';
import styles from './sign-in.module.css';

/** In place of Google's button inside another app, where Google would refuse: says so first, and what works. */
export default function EmbeddedNotice() {
  const { t } = useTranslation('sign-in');
  const env = usePublicEnv();
  const [copied, setCopied] = useState<'no' | 'yes' | 'failed'>('no');
  const copy = () =>
    void navigator.clipboard
      .writeText(linkToHere(env))
      .then(() => setCopied('yes'))
      .catch(() => setCopied('failed'));
  return (
    <Notice tone="info">
      <div className={styles.ways}>
        <p>{t('embedded.text')}</p>
        <Button kind="secondary" onClick={copy}>
          {copied === 'yes' ? t('embedded.copied') : t('embedded.copy')}
        </Button>
        {copied === 'failed' && <p>{linkToHere(env)}</p>}
        <p>
          {t('embedded.or')} <PageLink href={paths.emailLink}>{t('emailLink')}</PageLink>
        </p>
      </div>
    </Notice>
  );
}

/** This page for another browser, which does not know the callback that is kept in this one. */
function linkToHere(env: PublicEnv): string {
  const link = new URL(paths.signIn, env.appOrigin);
  const destination = currentDestination(env);
  if (URL.canParse(destination)) link.searchParams.set(queryNames.redirectUri, destination);
  return link.href;
}
