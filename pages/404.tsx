import { DeadEndScreen } from '@/components/not-found/dead-end-screen';

export { staticTexts as getStaticProps } from '@/lib/i18n/static-texts';

export default function NotFoundPage() {
  return <DeadEndScreen kind="notFound" />;
}
