import { common, createLowlight } from 'lowlight';
import type { CodeLine, CodeToken } from '../src/decisions/content.ts';

const lowlight = createLowlight(common);

type Tree = ReturnType<typeof lowlight.highlight>;
type TreeNode = Tree['children'][number];

/**
 * Returns the tokens of code, line by line, with their syntax kinds. The pages map kinds to CSS classes, because the
 * Content-Security-Policy forbids inline styles.
 * @param language a file extension; code in an unknown language stays plain
 */
export function highlighted(code: string, language: string): CodeLine[] {
  if (!lowlight.registered(language)) return code.split('\n').map((line) => [[line]]);
  const lines: CodeLine[] = [[]];
  for (const [text, kind] of tokensOf(lowlight.highlight(language, code).children, undefined)) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push(kind === undefined ? [part] : [part, kind]);
    }
  }
  return lines;
}

/** Flattens the syntax tree; the innermost kind wins. */
function tokensOf(nodes: readonly TreeNode[], kind: string | undefined): CodeToken[] {
  return nodes.flatMap((node): CodeToken[] => {
    if (node.type === 'text') return [kind === undefined ? [node.value] : [node.value, kind]];
    if (node.type !== 'element') return [];
    const [name] = (node.properties.className as string[] | undefined) ?? [];
    return tokensOf(node.children, name?.replace('hljs-', '') ?? kind);
  });
}
