import { useTranslation } from 'next-i18next/pages';
import { PlainLayout } from '@/components/layout/plain-layout';
import { ButtonLink } from '@/components/ui/button';
import { paths } from '@/lib/paths';

type Props = { kind: 'notFound' | 'failure' };

/** A page that is not there, or one that failed: says so and offers the way to sign-in. */
export function DeadEndScreen({ kind }: Props) {
  const { t } = useTranslation('not-found');
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
