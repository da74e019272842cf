import { useEffect, useState } from 'react';
import { Notice } from '@/components/ui/notice';
import type { DeskFailure } from '@/lib/browser/support/desk-client';
import { displayMoment } from './moment';

type Props = { failure: DeskFailure; onExpire: () => void };

/** Why a call failed, and what to do. A wrong, an expired and a removed token get the same message. */
export function DeskFailureNotice({ failure, onExpire }: Props) {
  const [since] = useState(() => Date.now());
  const wait = failure.code === 'limit' && failure.retryAfter !== null ? failure.retryAfter * 1_000 : null;
  useEffect(() => {
    if (wait === null) return;
    const timer = setTimeout(onExpire, wait);
    return () => clearTimeout(timer);
  });
  return (
    <Notice tone="error">
      <p>{describeFailure(failure)}</p>
      {wait !== null && <p>{`Try again at ${displayMoment(since + wait)}.`}</p>}
    </Notice>
  );
}

function describeFailure(failure: DeskFailure): string {
  switch (failure.code) {
    case 'token':
      return 'This token gives no access. Check it at the top of the page, or ask your operator for another one. What you typed is still here.';
    case 'refused':
      return `${failure.detail}.`;
    case 'limit':
      return 'You have reached the limit, so nothing was done.';
    case 'unavailable':
      return 'The server cannot answer now. Try again in a moment.';
    case 'network':
      return 'No answer arrived. Check your connection, and look the account up again before you repeat an action.';
  }
}
