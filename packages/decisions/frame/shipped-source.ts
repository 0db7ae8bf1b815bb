import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A region of a file of this repository, or the whole file. */
export type Place = { file: string; region?: string };

/** The text of a place, without markers and indentation. `firstLine` is 1-based. */
export type Excerpt = Place & { text: string; firstLine: number };

/**
 * Reads the lines between `#region NAME` and its `#endregion`, both comments in the file's language. Regions may nest.
 * @throws if the file or the region doesn't exist, or the region is empty
 */
export function readExcerpt({ file, region }: Place): Excerpt {
  const path = join(repositoryRoot, file);
  if (!existsSync(path)) throw new Error(`there is no file ${file}`);
  const lines = readFileSync(path, 'utf8').split('\n');
  if (region === undefined) return { file, text: lines.join('\n').trimEnd(), firstLine: 1 };

  const begin = lines.findIndex((line) => beginOf(line) === region);
  if (begin === -1) throw new Error(`${file} has no region "${region}"`);
  let depth = 1;
  let end = begin + 1;
  while (end < lines.length) {
    const line = lines[end] as string;
    if (beginOf(line) !== undefined) depth += 1;
    else if (isEnd(line)) depth -= 1;
    if (depth === 0) break;
    end += 1;
  }
  if (depth > 0) throw new Error(`region "${region}" of ${file} does not end`);
  const inside = lines.slice(begin + 1, end).filter((line) => beginOf(line) === undefined && !isEnd(line));
  const text = withoutIndentation(inside);
  if (text.trim() === '') throw new Error(`region "${region}" of ${file} is empty`);
  return { file, region, text, firstLine: begin + 2 };
}

/** The repository's root, found from the sources and from compiled code alike. */
export const repositoryRoot = findRoot(import.meta.dirname);

const beginOf = (line: string) => /^\s*(?:\/\/|--|#)\s*#region (\S+)\s*$/.exec(line)?.[1];
const isEnd = (line: string) => /^\s*(?:\/\/|--|#)\s*#endregion\b/.test(line);

function findRoot(from: string): string {
  if (existsSync(join(from, 'package-lock.json'))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error('the decisions are not inside their repository');
  return findRoot(parent);
}

function withoutIndentation(lines: string[]) {
  const written = lines.filter((line) => line.trim() !== '');
  const indentation = Math.min(...written.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.slice(indentation)).join('\n');
}
