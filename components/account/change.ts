import type { ProofFailure } from '@/lib/browser/account/account-methods';

/**
 * A step that a change of the account leads to. `failure`: why the step before it did not succeed.
 * `Step`: data of `entering`. `Result`: data of `done`.
 */
export type NextStep<Failure, Step, Result> =
  /** The learner is asked whether to make the change. */
  | { name: 'asking'; failure?: Failure | undefined }
  /** The learner must authenticate first. */
  | { name: 'proving'; failure?: ProofFailure | undefined }
  /** The learner has authenticated, and must press once more, for example because a pop-up opens only after a click. */
  | { name: 'proved'; failure?: Failure | undefined }
  /** The change has its own form, for example for a new name or a code. The form shows its own failures. */
  | ({ name: 'entering' } & Step)
  | ({ name: 'done' } & Result)
  | { name: 'failed'; failure: Failure };

/**
 * The state of a change on the account page. `isBusy`: the step's button was pressed, and its outcome is not known yet.
 */
export type ChangePhase<Change, Failure = unknown, Step = unknown, Result = unknown> =
  /** `change`: the canceled change. */
  | { name: 'idle'; change?: Change | undefined }
  /** The button that begins the change was pressed, and the next step is not known yet. */
  | { name: 'opening'; change: Change }
  | (NextStep<Failure, Step, Result> & { change: Change; isBusy?: boolean });

export type ChangeEvent<Change, Failure = unknown, Step = unknown, Result = unknown> =
  /** The learner has pressed the button of a change. It replaces the change before. */
  | { type: 'begin'; change: Change }
  /** The learner has pressed the button of the shown step. */
  | { type: 'press' }
  /** The outcome of `begin` or `press` is known. */
  | { type: 'advance'; to: NextStep<Failure, Step, Result> }
  /** The learner has canceled, or has come back to this page with Back. */
  | { type: 'cancel' };

/**
 * The transitions of every change on the account page:
 * - `begin` leads from every phase to `opening`.
 * - `press` makes `asking`, `proving` and `proved` busy. Other phases have no button of their own and stay.
 * - `advance` leads from an open change to the given step. A change that is over stays over.
 * - `cancel` leads from every phase to `idle`.
 */
export function changeReducer<Change, Failure, Step, Result>(
  phase: ChangePhase<Change, Failure, Step, Result>,
  event: ChangeEvent<Change, Failure, Step, Result>,
): ChangePhase<Change, Failure, Step, Result> {
  const { name } = phase;
  switch (event.type) {
    case 'begin':
      return { name: 'opening', change: event.change };
    case 'press':
      return name === 'asking' || name === 'proving' || name === 'proved'
        ? { name, change: phase.change, isBusy: true }
        : phase;
    case 'advance':
      return isOver(phase) ? phase : { ...event.to, change: phase.change };
    case 'cancel':
      return { name: 'idle', change: phase.change };
  }
}

type Over = { name: 'idle' | 'done' | 'failed' };

/** Whether no change is open. */
export function isOver<Phase extends ChangePhase<unknown>>(phase: Phase): phase is Extract<Phase, Over> {
  return ['idle', 'done', 'failed'].includes(phase.name);
}

/**
 * Where the focus moves when a change is over, because the focused element may be removed with its panel.
 * @returns the button that began the change, or the section's heading after a completed change; null if no change closed
 */
export function getFocusAfter(before: ChangePhase<unknown>, after: ChangePhase<unknown>): 'button' | 'heading' | null {
  if (isOver(before) || !isOver(after)) return null;
  return after.name === 'done' ? 'heading' : 'button';
}
