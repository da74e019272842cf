import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listWebhookReceivers, parseWebhookReceivers, WEBHOOK_EVENTS } from './webhook-receivers';

const dir = mkdtempSync(path.join(os.tmpdir(), 'webhook-receivers-'));
const write = (name: string, text: string) => {
  writeFileSync(path.join(dir, name), text);
  return path.join(dir, name);
};
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const another = write('another', `whsec_${Buffer.alloc(32, 8).toString('base64')}`);
const good = {
  url: 'https://grades.campus.example/webhooks?tenant=a',
  secretFile: write('secret', `${secret}, ${secret}\n`),
  events: ['session.ended', 'account.deleted'],
};
const parse = (receivers: object, before: Parameters<typeof parseWebhookReceivers>[1] = null) =>
  parseWebhookReceivers({ receivers }, before);

describe('receivers of webhooks', () => {
  it('are taken as they are written', () => {
    const { value, problems } = parse({
      grades: good,
      local: { ...good, url: 'http://localhost:9/x', secretFile: another },
    });
    expect([[...value.keys()], problems]).toEqual([['grades', 'local'], []]);
  });

  it.each<[string, object]>([
    ['http to another machine', { url: 'http://grades.campus.example/' }],
    ['an address that only looks like this machine', { url: 'http://localhost.campus.example/' }],
    ['another protocol', { url: 'file:///etc/passwd' }],
    ['a script', { url: 'javascript:fetch(1)' }],
    ['a user name in the address', { url: 'https://user@grades.campus.example/' }],
    ['a password in the address', { url: 'https://:word@grades.campus.example/' }],
    ['no address', { url: undefined }],
    ['no events', { events: [] }],
    ['an unknown event', { events: ['account.renamed'] }],
    ['a member that is not known', { secret }],
    ['a secret that is none', { secretFile: write('short', 'whsec_c2hvcnQ=') }],
    ['the secret of another one', { secretFile: good.secretFile }],
    ['no secret', { secretFile: path.join(dir, 'absent') }],
  ])('with %s are reported, while the others go on, and no secret is named', (_name, wrong) => {
    const { value, problems } = parse({ grades: good, wrong: { ...good, secretFile: another, ...wrong } });
    expect(value.get('grades')).toEqual(good);
    expect(value.get('wrong')?.url).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]?.context).toEqual({ receiver: 'wrong' });
    expect(JSON.stringify(problems)).not.toMatch(/whsec_[A-Za-z\d]{4}|c2hv|word@/);
  });

  it('keep their last valid version, and their events wait when there is none', () => {
    const before = parse({ grades: good }).value;
    const wrong = { ...good, url: 'nowhere' };
    expect(parse({ grades: wrong }, before).value.get('grades')).toEqual(good);
    expect(parse({ grades: wrong }).value.get('grades')).toEqual({ events: good.events });
    expect(parse({ grades: { ...wrong, events: 'all' } }).value.size).toBe(0);
  });

  it('have a secret that is not that of WEBHOOK_URL', () => {
    const { value, problems } = parseWebhookReceivers({ receivers: { grades: good } }, null, [secret]);
    expect(value.get('grades')).toEqual({ events: good.events });
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('secret of another receiver')]);
  });

  it.each(['', 'a b', 'x'.repeat(65), '../x'])('are not named %j', (name) => {
    expect(parse({ [name]: good }).value.size).toBe(0);
  });

  it('are none without an object of them', () => {
    for (const content of [null, [], {}, { receivers: [] }, 'x'])
      expect(() => parseWebhookReceivers(content, null)).toThrow('must be an object with receivers');
    expect(parseWebhookReceivers({ receivers: {}, extra: {} }, null).problems).toHaveLength(1);
  });
});

it('every event can be asked for', () => {
  expect(parse({ all: { ...good, events: [...WEBHOOK_EVENTS] } }).problems).toEqual([]);
});

it('nothing is written for the receivers of a file that cannot be read: it would be told to none', async () => {
  const TOKEN_ENCRYPTION_SECRET = Buffer.alloc(32, 1).toString('base64');
  const WEBHOOKS_FILE = path.join(dir, 'absent.json');
  Object.assign(process.env, { FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9', TOKEN_ENCRYPTION_SECRET, WEBHOOKS_FILE });
  await expect(listWebhookReceivers()).rejects.toThrow('WEBHOOKS_FILE');
});
