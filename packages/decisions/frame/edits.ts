import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Place, readExcerpt, repositoryRoot } from './shipped-source.ts';

/**
 * A replacement in a shipped file. Where the shipped code runs in a store (Lua, SQL), an arm made of edits is that code, provably
 * equal in everything else.
 */
export type Edit = Place & { from: string; to: string };

/**
 * Makes the edits of one arm. Checked when the module is loaded: each replaced text occurs in its region, or file, exactly once.
 * @throws otherwise, so that an arm can't silently become the shipped one
 */
export function edits(place: Place, ...changes: { from: string; to: string }[]): Edit[] {
  const { text } = readExcerpt(place);
  return changes.map((change) => {
    if (timesIn(text, change.from) !== 1) {
      const where = place.region === undefined ? place.file : `region "${place.region}" of ${place.file}`;
      throw new Error(`${where} has to contain this once: ${change.from}`);
    }
    return { ...place, ...change };
  });
}

/** Returns the text with every applicable edit made. */
export function edited(text: string, changes: readonly Edit[]) {
  return changes.reduce((so, { from, to }) => so.replaceAll(from, () => to), text);
}

/** Returns a file's text, original and edited. @throws if an edit of this file doesn't apply */
export function editedFile(file: string, changes: readonly Edit[]) {
  const text = readFileSync(join(repositoryRoot, file), 'utf8');
  const own = changes.filter((change) => change.file === file);
  const lost = own.find(({ from }) => timesIn(text, from) !== 1);
  if (lost) throw new Error(`${file} has to contain this once: ${lost.from}`);
  return { text, edited: edited(text, own) };
}

const timesIn = (text: string, part: string) => text.split(part).length - 1;
