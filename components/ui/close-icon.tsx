import { Strokes } from './icons';

/** A cross next to text with the same meaning. A separate file, because only parts that load late have it. */
export function CloseIcon() {
  return (
    <Strokes size="1.25em">
      <path d="M6 6l12 12M18 6L6 18" />
    </Strokes>
  );
}
