import { headers } from 'next/headers';

export default async function Dashboard() {
  const learner = JSON.parse(decodeURIComponent((await headers()).get('x-learner') ?? ''));
  return (
    <>
      <h1>Welcome back, {learner.displayName ?? 'learner'}</h1>
      <p>Signed in as {learner.email ?? learner.uid}.</p>
    </>
  );
}
