import type { ReactNode } from 'react';
import { AppShell } from '@/components/layout/app-shell';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { PagesNav } from './pages-nav';
import { SessionExpiryWarning } from './session-expiry-warning';
import { SignOutButton } from './sign-out-button';

type Props = { heading: string; lead?: ReactNode; children?: ReactNode };

/** The layout of pages for signed-in learners: brand, user name, sign-out button, warning before the session expires. */
export function SignedInShell(props: Props) {
  return (
    <AppShell
      {...props}
      home={paths.courses}
      nav={<PagesNav />}
      actions={<SignOutButton />}
      banner={<SessionExpiryWarning />}
    />
  );
}

/** The layout without content, for the platform and for pre-caching (docs/product.md#screens). */
export function EmptyShell() {
  const { t } = useMessages('dashboard');
  return <SignedInShell heading={t('shell.heading')} />;
}
