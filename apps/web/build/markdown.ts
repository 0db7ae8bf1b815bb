import type { PhrasingContent, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { Block, Phrase } from '../src/decisions/content.ts';
import { highlighted } from './highlight.ts';

type Nodes = readonly (RootContent | PhrasingContent)[];

/**
 * Parses the Markdown of cards: paragraphs, lists, code, emphasis and links.
 * @param linkFrom the folder that relative links start from, such as `packages/decisions/double-click`
 * @throws Error for any other Markdown, rather than showing it incompletely
 */
export function readMarkdown(text: string, linkFrom: string): Block[] {
  return fromMarkdown(text).children.map((node) => blockOf(node, linkFrom));
}

/** Parses a text of one paragraph, such as a question. */
export function readPhrases(text: string, linkFrom: string): Phrase[] {
  return fromMarkdown(text).children.flatMap((node) => {
    if (node.type !== 'paragraph') throw new Error(`expected one paragraph, found a ${node.type}: ${text}`);
    return phrasesOf(node.children, linkFrom);
  });
}

function blockOf(node: RootContent, linkFrom: string): Block {
  switch (node.type) {
    case 'paragraph':
      return { kind: 'paragraph', of: phrasesOf(node.children, linkFrom) };
    case 'list':
      return {
        kind: 'list',
        ordered: node.ordered === true,
        items: node.children.map((item) => item.children.map((child) => blockOf(child, linkFrom))),
      };
    case 'code':
      return { kind: 'code', lines: highlighted(node.value, node.lang ?? '') };
    default:
      throw new Error(`the pages cannot show a ${node.type} of a card`);
  }
}

const phrasesOf = (nodes: Nodes, linkFrom: string): Phrase[] => nodes.map((node) => phraseOf(node, linkFrom));

function phraseOf(node: Nodes[number], linkFrom: string): Phrase {
  switch (node.type) {
    case 'text':
      return { kind: 'text', text: node.value.replaceAll('\n', ' ') };
    case 'inlineCode':
      return { kind: 'code', text: node.value };
    case 'emphasis':
    case 'strong':
      return { kind: node.type, of: phrasesOf(node.children, linkFrom) };
    case 'link':
      return linkOf(node.url, phrasesOf(node.children, linkFrom), linkFrom);
    default:
      throw new Error(`the pages cannot show a ${node.type} of a card`);
  }
}

/** Turns a link to another card or the ladder into a link to its page. Other files are only named, because the pages do not know where the repository is hosted. */
function linkOf(url: string, of: Phrase[], linkFrom: string): Phrase {
  if (/^https?:\/\//.test(url)) return { kind: 'link', to: url, of };
  const { pathname } = new URL(url, `file:///${linkFrom}/`);
  const decision = /^\/packages\/decisions\/([\w-]+)(?:\/(?:card|ladder)\.md|\/)?$/.exec(pathname)?.[1];
  return decision === undefined
    ? { kind: 'file', path: pathname.slice(1), of }
    : { kind: 'link', to: `/decisions/${decision}`, of };
}
