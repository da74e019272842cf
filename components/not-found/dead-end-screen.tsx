import { PlainLayout } from '@/components/layout/plain-layout';
import { ButtonLink } from '@/components/ui/button';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

type Props = { kind: 'notFound' | 'failure' };

/** A page that does not exist or failed: shows the error and a link to sign-in. */
export function DeadEndScreen({ kind }: Props) {
  const { t } = useMessages('not-found');
  return (
    <PlainLayout heading={t(`${kind}.heading`)} lead={t(`${kind}.lead`)}>
      <div>
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('toSignIn')}
        </ButtonLink>
      </div>
    </PlainLayout>
  );
}
