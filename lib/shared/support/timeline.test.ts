import { expect, it } from 'vitest';
import { buildTimeline } from './timeline';

const nothing = {
  rule: null,
  method: null,
  browser: null,
  system: null,
  network: null,
  operator: null,
  requestId: null,
  supportCode: null,
};
const times = { openedAt: '', lastSeenAt: '', expiresAt: '' };

it('lists events, emails and ends of sessions in the order of their times', () => {
  const device = { browser: 'Chrome', system: 'Android' };
  const timeline = buildTimeline({
    events: [
      { ...nothing, kind: 'account-disabled', at: '2026-11-28T09:30:00.000Z', operator: 'ada' },
      {
        ...nothing,
        ...device,
        kind: 'refused',
        at: '2026-11-28T09:10:00.000Z',
        rule: 'disabled-account',
        method: 'password',
      },
    ],
    emails: [
      {
        messageId: 'm1',
        kind: 'reset',
        at: '2026-11-28T09:20:00.000Z',
        result: 'refused',
        answer: '550 5.1.1 no mailbox',
      },
    ],
    sessions: [
      { ...times, ...device, method: 'password', endedAt: '2026-11-28T09:00:00.000Z', endedBy: 'sign-out' },
      { ...times, ...device, method: 'password', endedAt: null, endedBy: null },
    ],
  });
  expect(timeline.map(({ at, text }) => `${at.slice(11, 16)} ${text}`)).toEqual([
    '09:00 session ended, sign-out, Chrome on Android',
    '09:10 refused, rule disabled-account, password, Chrome on Android',
    '09:20 email reset refused, 550 5.1.1 no mailbox, Message-ID m1',
    '09:30 account-disabled, by ada',
  ]);
});
