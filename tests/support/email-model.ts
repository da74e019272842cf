import fc from 'fast-check';

// A model of the emails of one account (docs/adr/0050, docs/adr/0051). It says which steps work and what they change, but
// not how. tests/integration/email-orders.nightly.test.ts runs the same steps in the real app.

/** Mailboxes that steps name. The account begins with the first. Another account has the last. */
export const MAILBOXES = 4;
export const TAKEN = 3;

/** The account's owner has the first mailbox, an intruder all others. Both know the password at first. */
export const PEOPLE = ['owner', 'intruder'] as const;
export type Person = (typeof PEOPLE)[number];
const getReader = (mailbox: number): Person => (mailbox === 0 ? 'owner' : 'intruder');

export type Step =
  | { do: 'ask'; by: Person; use: 'main' | 'recovery'; to: number }
  | { do: 'code' | 'link'; by: Person; of: number }
  | { do: 'undo'; of: number }
  | { do: 'remove' | 'use' | 'sign-out' | 'sign-in' | 'passkey'; by: Person }
  | { do: 'reset'; mailbox: number }
  | { do: 'move'; to: number };

const by = fc.constantFrom(...PEOPLE);
const mailbox = fc.nat({ max: MAILBOXES - 1 });
/** Which of the requests so far, counted from the last one. */
const of = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 2 }) });
const use = fc.constantFrom('main' as const, 'main' as const, 'recovery' as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), by, use, to: mailbox }) },
  { weight: 9, arbitrary: fc.record({ do: fc.constantFrom('code' as const, 'link' as const), by, of }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('undo' as const), of }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'remove' as const,
        'use' as const,
        'sign-out' as const,
        'sign-in' as const,
        'passkey' as const,
      ),
      by,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reset' as const), mailbox }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), to: mailbox }) },
);

const LONGEST = 9;
const REFUSED = 2;

/** Orders of steps. Most random steps are refused, so each order has only a few of those. */
export const orders = fc.array(step, { minLength: 60, maxLength: 60 }).map((drawn) => {
  const kept: Step[] = [];
  let refused = 0;
  for (const each of drawn) {
    const works = predict([...kept, each]);
    if (works === null || (!works && refused === REFUSED)) continue;
    if (!works) refused += 1;
    kept.push(each);
    if (kept.length === LONGEST) break;
  }
  return kept;
});

/** @returns whether the last of some steps works */
function predict(taken: readonly Step[]): boolean | null {
  const model = new EmailModel();
  return taken.map((each) => model.take(each)).at(-1) ?? null;
}

/** A request for another email, and what became of it. */
export type Request = {
  use: 'main' | 'recovery';
  from: number;
  to: number;
  at: number;
  state: 'waiting' | 'done' | 'ended';
  isUsed: boolean;
  /** Null if the email needed no code, or the code was sent to no one. */
  askedBy: Person | null;
  revocations: number;
};

const MAX_REQUESTS = 5;

export class EmailModel {
  main = 0;
  recovery: number | null = null;
  /** The mailbox that wins at the end: the first, or the one that an operator has last moved the account to. */
  winner = 0;
  live: Record<Person, boolean> = { owner: true, intruder: true };
  passkeys: number[] = [];
  requests: Request[] = [];
  /** How often all sign-ins were revoked. */
  revocations = 0;
  #knows: Record<Person, boolean> = { owner: true, intruder: true };
  #asked = 0;
  #time = 0;
  /** The last request in a person's browser, whose cookie the code needs. */
  #last: Record<Person, Request | null> = { owner: null, intruder: null };

  /** Takes a step. @returns whether it works; null for a step that cannot be taken yet */
  take(step: Step): boolean | null {
    this.#time += 1;
    switch (step.do) {
      case 'ask':
        return this.live[step.by] && this.#ask(step);
      case 'code':
      case 'link': {
        const request = this.find(step.of);
        if (request === undefined || request.askedBy === null) return null;
        const isOwn = step.do === 'link' || this.#last[step.by] === request;
        return isOwn && this.live[step.by] && this.#prove(request, step);
      }
      case 'undo': {
        const request = this.find(step.of);
        return request === undefined ? null : this.#undo(request);
      }
      case 'remove':
        if (this.live[step.by]) this.recovery = null;
        return this.live[step.by];
      case 'use':
        return this.live[step.by] && this.#use(step.by);
      case 'sign-out':
        if (!this.live[step.by]) return false;
        this.#revoke();
        return true;
      case 'sign-in':
        if (!this.#knows[step.by]) return null;
        this.live[step.by] = true;
        return true;
      case 'passkey':
        this.passkeys.push(this.#time);
        return true;
      case 'reset':
        return this.#reset(step.mailbox);
      case 'move':
        return this.#move(step.to);
    }
  }

  /** Returns a request, counted from the last one. */
  find(of: number): Request | undefined {
    return this.requests.at(-1 - of);
  }

  #revoke(except?: Person): void {
    this.revocations += 1;
    for (const person of PEOPLE) this.live[person] &&= person === except;
  }

  #add(request: Pick<Request, 'use' | 'to' | 'askedBy'>): Request {
    for (const each of this.requests) if (each.state === 'waiting') each.state = 'ended';
    const added = {
      ...request,
      ...{ from: this.main, at: this.#time, state: 'waiting' as const, isUsed: false, revocations: this.revocations },
    };
    this.requests.push(added);
    return added;
  }

  #ask({ by: person, use: which, to }: Extract<Step, { do: 'ask' }>): boolean {
    this.#asked += 1;
    if (this.#asked > MAX_REQUESTS || to === this.main) return false;
    if (which === 'recovery' && this.recovery !== null) return false;
    // No code is sent to an address that has an account.
    const isSent = to !== TAKEN;
    this.#last[person] = this.#add({ use: which, to, askedBy: isSent ? person : null });
    return true;
  }

  #prove(request: Request, { by: person }: { by: Person }): boolean {
    const isOver = request.state !== 'waiting' || request.revocations !== this.revocations;
    if (isOver || request.from !== this.main || (request.use === 'recovery' && this.recovery !== null)) return false;
    request.state = 'done';
    request.isUsed = true;
    if (request.use === 'recovery') this.recovery = request.to;
    else this.#become(request.to, person);
    return true;
  }

  #become(to: number, except?: Person): void {
    this.main = to;
    if (this.recovery === to) this.recovery = null;
    this.#revoke(except);
  }

  #use(person: Person): boolean {
    this.#asked += 1;
    if (this.#asked > MAX_REQUESTS || this.recovery === null) return false;
    const request = this.#add({ use: 'main', to: this.recovery, askedBy: null });
    request.state = 'done';
    this.#become(this.recovery, person);
    return true;
  }

  #undo(linked: Request): boolean {
    const isDone = ({ use: which, state }: Request) => which === 'main' && state === 'done';
    const isLater = (each: Request) => each.from === linked.from && each.at >= linked.at;
    const isRecovery = linked.use === 'recovery' && linked.state === 'done';
    const request = (isRecovery && this.requests.find((each) => isDone(each) && isLater(each))) || linked;
    if (request.state === 'ended') return false;
    if (request.state === 'waiting') {
      request.state = 'ended';
      return true;
    }
    const isEnded = (each: Request) => each.at >= request.at || each.use === 'recovery';
    if (request.use === 'main') {
      this.main = request.from;
      this.passkeys = [];
      for (const each of this.requests) if (isEnded(each)) each.state = 'ended';
    } else {
      if (this.main !== request.from) return false;
      this.passkeys = this.passkeys.filter((at) => at < request.at);
      request.state = 'ended';
      for (const each of this.requests) if (each.state === 'waiting' && each.at >= request.at) each.state = 'ended';
    }
    this.recovery = null;
    this.#knows = { owner: false, intruder: false };
    this.#revoke();
    return true;
  }

  #reset(address: number): boolean {
    if (address !== this.main && address !== this.recovery) return false;
    this.#revoke();
    const reader = getReader(address);
    this.#knows = { owner: false, intruder: false, [reader]: true };
    this.live[reader] = true;
    return true;
  }

  #move(to: number): boolean {
    const hasOtherPasskeys = false;
    if (to === TAKEN || (to === this.main && !hasOtherPasskeys)) return false;
    for (const each of this.requests) each.state = 'ended';
    this.winner = to;
    this.#become(to);
    this.recovery = null;
    return true;
  }
}
