import { DeadEndScreen } from '@/components/not-found/dead-end-screen';

export { getStaticTexts as getStaticProps } from '@/lib/server/web';

export default function FailurePage() {
  return <DeadEndScreen kind="failure" />;
}
