import { describe, expect, it } from 'vitest';
import { changeReducer, getFocusAfter, type ChangeEvent, type ChangePhase } from './change';

type Data = { data: string };
type Phase = ChangePhase<string, string, Data, Data>;
type Event = ChangeEvent<string, string, Data, Data>;

const PHASES = {
  idle: { name: 'idle' },
  canceled: { name: 'idle', change: 'a' },
  opening: { name: 'opening', change: 'a' },
  asking: { name: 'asking', change: 'a' },
  'asking after a failure': { name: 'asking', change: 'a', failure: 'last-method' },
  'asking, busy': { name: 'asking', change: 'a', isBusy: true },
  proving: { name: 'proving', change: 'a' },
  'proving after a failure': { name: 'proving', change: 'a', failure: 'network' },
  'proving, busy': { name: 'proving', change: 'a', isBusy: true },
  proved: { name: 'proved', change: 'a' },
  'proved after a failure': { name: 'proved', change: 'a', failure: 'cancelled' },
  'proved, busy': { name: 'proved', change: 'a', isBusy: true },
  entering: { name: 'entering', change: 'a', data: 'x' },
  done: { name: 'done', change: 'a', data: 'y' },
  failed: { name: 'failed', change: 'a', failure: 'network' },
} satisfies Record<string, Phase>;
type PhaseName = keyof typeof PHASES;

const EVENTS = {
  'begin another': { type: 'begin', change: 'b' },
  press: { type: 'press' },
  ask: { type: 'advance', to: { name: 'asking' } },
  'ask again': { type: 'advance', to: { name: 'asking', failure: 'last-method' } },
  'ask for a proof': { type: 'advance', to: { name: 'proving' } },
  'refuse the proof': { type: 'advance', to: { name: 'proving', failure: 'network' } },
  'accept the proof': { type: 'advance', to: { name: 'proved' } },
  'offer to press again': { type: 'advance', to: { name: 'proved', failure: 'cancelled' } },
  'show a form': { type: 'advance', to: { name: 'entering', data: 'x' } },
  finish: { type: 'advance', to: { name: 'done', data: 'y' } },
  fail: { type: 'advance', to: { name: 'failed', failure: 'network' } },
  cancel: { type: 'cancel' },
} satisfies Record<string, Event>;
type EventName = keyof typeof EVENTS;

/** What an outcome makes of an open change. */
const ADVANCE = {
  ask: 'asking',
  'ask again': 'asking after a failure',
  'ask for a proof': 'proving',
  'refuse the proof': 'proving after a failure',
  'accept the proof': 'proved',
  'offer to press again': 'proved after a failure',
  'show a form': 'entering',
  finish: 'done',
  fail: 'failed',
} as const;

/** An outcome that arrives too late does not open or change what is over. */
const getStay = (name: PhaseName) =>
  Object.fromEntries(Object.keys(ADVANCE).map((event) => [event, name])) as Record<keyof typeof ADVANCE, PhaseName>;

/** The phase after each event. `another` is the opening of the other change. */
const TABLE: Record<PhaseName, Record<EventName, PhaseName | 'another'>> = {
  idle: { 'begin another': 'another', press: 'idle', ...getStay('idle'), cancel: 'idle' },
  canceled: { 'begin another': 'another', press: 'canceled', ...getStay('canceled'), cancel: 'canceled' },
  opening: { 'begin another': 'another', press: 'opening', ...ADVANCE, cancel: 'canceled' },
  asking: { 'begin another': 'another', press: 'asking, busy', ...ADVANCE, cancel: 'canceled' },
  'asking after a failure': { 'begin another': 'another', press: 'asking, busy', ...ADVANCE, cancel: 'canceled' },
  'asking, busy': { 'begin another': 'another', press: 'asking, busy', ...ADVANCE, cancel: 'canceled' },
  proving: { 'begin another': 'another', press: 'proving, busy', ...ADVANCE, cancel: 'canceled' },
  'proving after a failure': { 'begin another': 'another', press: 'proving, busy', ...ADVANCE, cancel: 'canceled' },
  'proving, busy': { 'begin another': 'another', press: 'proving, busy', ...ADVANCE, cancel: 'canceled' },
  proved: { 'begin another': 'another', press: 'proved, busy', ...ADVANCE, cancel: 'canceled' },
  'proved after a failure': { 'begin another': 'another', press: 'proved, busy', ...ADVANCE, cancel: 'canceled' },
  'proved, busy': { 'begin another': 'another', press: 'proved, busy', ...ADVANCE, cancel: 'canceled' },
  entering: { 'begin another': 'another', press: 'entering', ...ADVANCE, cancel: 'canceled' },
  done: { 'begin another': 'another', press: 'done', ...getStay('done'), cancel: 'canceled' },
  failed: { 'begin another': 'another', press: 'failed', ...getStay('failed'), cancel: 'canceled' },
};

describe.each(Object.keys(PHASES) as PhaseName[])('%s', (phase) => {
  it.each(Object.keys(EVENTS) as EventName[])('%s', (event) => {
    const next = TABLE[phase][event];
    const expected = next === 'another' ? { name: 'opening', change: 'b' } : PHASES[next];
    expect(changeReducer<string, string, Data, Data>(PHASES[phase], EVENTS[event])).toEqual(expected);
  });
});

const OVER: PhaseName[] = ['idle', 'canceled', 'done', 'failed'];

it.each(Object.keys(PHASES) as PhaseName[])('moves the focus only when a change closes: %s', (before) => {
  const isOpen = !OVER.includes(before);
  for (const after of Object.keys(PHASES) as PhaseName[]) {
    const closed = isOpen && OVER.includes(after);
    const expected = closed ? (after === 'done' ? 'heading' : 'button') : null;
    expect(getFocusAfter(PHASES[before], PHASES[after]), after).toBe(expected);
  }
});
