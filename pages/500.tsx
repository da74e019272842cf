import { DeadEndScreen } from '@/components/not-found/dead-end-screen';

export { getStaticTexts as getStaticProps } from '@/lib/server/web/load-page-texts';

export default function FailurePage() {
  return <DeadEndScreen kind="failure" />;
}
