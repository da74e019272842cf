import { DIRECTIVES } from '@/lib/server/http';
import { ALL_EMAIL_KINDS, EMAIL_KINDS } from '@/lib/server/notifications';
import { WEBHOOK_EVENTS, type CountedKinds } from '@/lib/server/runtime';

/** What a process can count, of what alerts count. `logout`: a client of the OpenID Provider that was not told of one. */
export const COUNTED_KINDS: CountedKinds = {
  notices: [...EMAIL_KINDS, ...WEBHOOK_EVENTS, 'logout'],
  emails: ALL_EMAIL_KINDS,
  directives: DIRECTIVES,
};
