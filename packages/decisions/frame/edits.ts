import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readExcerpt, repositoryRoot } from './shipped-source.ts';

/**
 * A few words of a shipped file that an arm has in other words. Where what is shipped runs in a store (Lua, SQL), an arm made
 * of edits is the shipped code itself, and provably equal in all the rest.
 */
export type Edit = { file: string; region: string; from: string; to: string };

/**
 * Makes the edits of one arm. Each is checked when the module is loaded: what an edit replaces stands in its region, once.
 * @throws if it does not, so that an arm cannot silently become the shipped one
 */
export function edits(place: { file: string; region: string }, ...changes: { from: string; to: string }[]): Edit[] {
  const { text } = readExcerpt(place);
  return changes.map((change) => {
    if (timesIn(text, change.from) !== 1) {
      throw new Error(`region "${place.region}" of ${place.file} has to contain this once: ${change.from}`);
    }
    return { ...place, ...change };
  });
}

/** The text with each of the edits made wherever it applies. */
export function edited(text: string, changes: readonly Edit[]) {
  return changes.reduce((so, { from, to }) => so.replaceAll(from, () => to), text);
}

/** The whole text of a file, with the edits that are of it. @throws if one does not apply */
export function editedFile(file: string, changes: readonly Edit[]) {
  const text = readFileSync(join(repositoryRoot, file), 'utf8');
  const own = changes.filter((change) => change.file === file);
  const lost = own.find(({ from }) => timesIn(text, from) !== 1);
  if (lost) throw new Error(`${file} has to contain this once: ${lost.from}`);
  return { text, edited: edited(text, own) };
}

const timesIn = (text: string, part: string) => text.split(part).length - 1;
