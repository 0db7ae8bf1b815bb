/** Placeholder in built pages for their origin, such as `https://tickets.example`; the API fills it in. */
export const originMark = '%ORIGIN%';

/** The picture that link previews show for every page: `public/share.png`, in the size that previews expect. */
const shareImage = {
  address: `${originMark}/share.png`,
  width: '1200',
  height: '630',
  text: 'MiniTickets: a ticket shop for studying system design',
};

/** Metadata of a page for browsers, search engines and link previews. */
export type PageHead = {
  title: string;
  description: string;
  /** Such as `/decisions`. */
  address: string;
};

/** Replaces the metadata of the HTML shell by a page's own. */
export function withHead(shell: string, head: PageHead): string {
  const { title, description, address } = head;
  const lines = [
    `<title>${escaped(title)}</title>`,
    meta('name', 'description', description),
    `<link rel="canonical" href="${originMark}${escaped(address)}" />`,
    meta('property', 'og:type', address === '/' ? 'website' : 'article'),
    meta('property', 'og:site_name', 'MiniTickets'),
    meta('property', 'og:title', title),
    meta('property', 'og:description', description),
    meta('property', 'og:url', `${originMark}${address}`),
    meta('property', 'og:image', shareImage.address),
    meta('property', 'og:image:width', shareImage.width),
    meta('property', 'og:image:height', shareImage.height),
    meta('property', 'og:image:alt', shareImage.text),
    meta('name', 'twitter:card', 'summary_large_image'),
    meta('name', 'twitter:title', title),
    meta('name', 'twitter:description', description),
    meta('name', 'twitter:image', shareImage.address),
  ];
  return replaced(shell, /<title>[^<]*<\/title>\s*<meta name="description"[^>]*>/, lines.join('\n    '));
}

/** Inserts a page's content into the HTML shell. */
export function withContent(shell: string, html: string, noScript: string): string {
  const filled = replaced(shell, /<div id="root"><\/div>/, `<div id="root">${html}</div>`);
  return replaced(filled, /<noscript>[^<]*<\/noscript>/, `<noscript>${escaped(noScript)}</noscript>`);
}

const meta = (kind: 'name' | 'property', name: string, content: string) =>
  `<meta ${kind}="${name}" content="${escaped(content)}" />`;

function replaced(text: string, what: RegExp, by: string): string {
  if (!what.test(text)) throw new Error(`index.html has no ${what.source}`);
  return text.replace(what, () => by);
}

/** Escapes text for HTML, including attributes. */
export const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
