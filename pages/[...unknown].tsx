import { DeadEndScreen } from '@/components/not-found/dead-end-screen';

export { getUnknownPageProps as getServerSideProps } from '@/lib/server/web';

export default function UnknownPage() {
  return <DeadEndScreen kind="notFound" />;
}
