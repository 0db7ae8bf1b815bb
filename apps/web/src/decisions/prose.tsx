import { Link } from '@tanstack/react-router';
import { CodeLines } from './code-lines.tsx';
import type { Block, Phrase } from './content.ts';
import { numbered } from './numbered.ts';

/** Renders the text of a card. */
export function Prose({ blocks }: { blocks: readonly Block[] }) {
  return (
    <div className="max-w-3xl space-y-3">
      <Blocks blocks={blocks} />
    </div>
  );
}

function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return numbered(blocks).map(({ item: block, index: key }) => {
    switch (block.kind) {
      case 'paragraph':
        return (
          <p key={key}>
            <Phrases of={block.of} />
          </p>
        );
      case 'code':
        return <CodeLines key={key} lines={block.lines} />;
      case 'list': {
        const List = block.ordered ? 'ol' : 'ul';
        return (
          <List key={key} className={block.ordered ? 'list-decimal space-y-1.5 pl-6' : 'list-disc space-y-1.5 pl-6'}>
            {numbered(block.items).map(({ item, index }) => (
              <li key={index}>
                <Blocks blocks={item} />
              </li>
            ))}
          </List>
        );
      }
      default:
        return block satisfies never;
    }
  });
}

/** Renders the question that a page opens with. */
export function Question({ of }: { of: readonly Phrase[] }) {
  return (
    <blockquote className="border-l-4 border-accent pl-4 text-xl text-ink">
      <Phrases of={of} />
    </blockquote>
  );
}

/** Renders inline text of a card. */
export function Phrases({ of }: { of: readonly Phrase[] }) {
  return numbered(of).map(({ item, index }) => <OnePhrase key={index} phrase={item} />);
}

function OnePhrase({ phrase }: { phrase: Phrase }) {
  switch (phrase.kind) {
    case 'text':
      return phrase.text;
    case 'code':
      return <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.9em]">{phrase.text}</code>;
    case 'emphasis':
      return (
        <em>
          <Phrases of={phrase.of} />
        </em>
      );
    case 'strong':
      return (
        <strong>
          <Phrases of={phrase.of} />
        </strong>
      );
    case 'file':
      return (
        <span title={phrase.path}>
          <Phrases of={phrase.of} />
        </span>
      );
    case 'link':
      return <CardLink to={phrase.to} of={phrase.of} />;
    default:
      return phrase satisfies never;
  }
}

const linkClass = 'text-accent underline underline-offset-4';

function CardLink({ to, of }: { to: string; of: readonly Phrase[] }) {
  const decision = /^\/decisions\/(.+)$/.exec(to)?.[1];
  return decision === undefined ? (
    <a href={to} className={linkClass}>
      <Phrases of={of} />
    </a>
  ) : (
    <Link to="/decisions/$name" params={{ name: decision }} className={linkClass}>
      <Phrases of={of} />
    </Link>
  );
}
