import { write, writeSync } from 'node:fs';
import { processWide } from '../process';

const STANDARD_OUTPUT = 1;
/** What may wait for a slow reader, in bytes: some 4,000 lines. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Pause before the next attempt while a reader takes nothing. */
const RETRY_MS = 100;
/** Attempts at the exit of the process, which a reader must not delay for more than a second. */
const EXIT_ATTEMPTS = 10;
/** A write that takes longer waits for a reader that is stuck. */
const STUCK_MS = 1_000;

/** Lines that are being written: their rest, and since when the system has it; null between two attempts. */
type Chunk = { rest: Buffer; since: number | null };

/**
 * Writes lines to a file descriptor behind the caller, in order, as many at a time as have come. A full disk, a stuck reader and a closed
 * pipe cost lines, which are counted, and nothing else. pino's own destination stops the process while a reader is stuck, and ends it
 * when the disk is full.
 */
export class LogOutput {
  /** Lines that were lost since the process started. */
  lost = 0;
  private waiting: string[] = [];
  private waitingBytes = 0;
  private chunk: Chunk | null = null;

  constructor(private readonly descriptor: number) {}

  /** @param line with its line feed */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.lost += 1;
      return;
    }
    this.waiting.push(line);
    this.waitingBytes += bytes;
    if (this.chunk === null) this.writeWaiting();
  }

  /** At the exit, when nothing is written behind the caller any more. Gives up when the reader is stuck or the disk is full. */
  writeRest(): void {
    const { rest, since } = this.chunk ?? { rest: Buffer.alloc(0), since: null };
    if (since !== null && performance.now() - since > STUCK_MS) return;
    // What the system has is written by it.
    let left = Buffer.concat([...(since === null ? [rest] : []), ...this.waiting.map((line) => Buffer.from(line))]);
    for (let attempt = 0; left.length > 0 && attempt < EXIT_ATTEMPTS;)
      try {
        left = left.subarray(writeSync(this.descriptor, left));
      } catch (error) {
        if (!isBusy(error)) return;
        attempt += 1;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      }
  }

  private writeWaiting(): void {
    this.chunk = this.waiting.length === 0 ? null : { rest: Buffer.from(this.waiting.join('')), since: null };
    this.waiting = [];
    this.waitingBytes = 0;
    if (this.chunk) this.writeChunk(this.chunk);
  }

  private writeChunk(chunk: Chunk): void {
    chunk.since = performance.now();
    write(this.descriptor, chunk.rest, (error, written) => {
      chunk.since = null;
      if (error && isBusy(error)) {
        setTimeout(() => this.writeChunk(chunk), RETRY_MS).unref();
        return;
      }
      if (error) this.lost += countLines(chunk.rest);
      else chunk.rest = chunk.rest.subarray(written);
      if (error || chunk.rest.length === 0) this.writeWaiting();
      else this.writeChunk(chunk);
    });
  }
}

/** The standard output of this process. */
export const getLogOutput = (): LogOutput =>
  processWide('log-output', () => {
    const output = new LogOutput(STANDARD_OUTPUT);
    process.once('exit', () => output.writeRest());
    return output;
  });

/** A pipe whose reader takes nothing at the moment. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
}

function countLines(text: Buffer): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
