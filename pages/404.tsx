import { DeadEndScreen } from '@/components/not-found/dead-end-screen';

export { getStaticTexts as getStaticProps } from '@/lib/server/web';

export default function NotFoundPage() {
  return <DeadEndScreen kind="notFound" />;
}
