import { escaped } from '../build/page-head.ts';

export type ShareImage = {
  /** Of the file, and what the pattern on the stub is made from. */
  name: string;
  kind: string;
  title: string;
  text: string;
};

/** A ticket with the words on its left part, and on its stub a pattern of requests that were served and refused. */
export function shareImageHtml({ name, kind, title, text }: ShareImage): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><style>${css}</style>
<main><section>
<p class="kind">${escaped(kind)}</p>
<h1 class="${title.length > 28 ? 'long' : ''}">${escaped(title)}</h1>
<p class="text">${escaped(withoutMarkup(text))}</p>
<p class="brand"><svg viewBox="0 0 24 24"><path d="M4 7h16v3.5a1.5 1.5 0 0 0 0 3V17H4v-3.5a1.5 1.5 0 0 0 0-3zM14.5 7v2m0 2.5v1m0 2.5v2"/></svg>MiniTickets</p>
</section><aside>${stub(name)}</aside></main></html>`;
}

const columns = 6;
const rows = 14;

/** Served ones first and refused ones after them, as many as the name says: each image has its own. */
function stub(name: string): string {
  const served = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997, 7);
  const inARow = (row: number) => 1 + (((served >> (row % 7)) + row * served) % (columns - 1));
  const marks = Array.from({ length: rows * columns }, (_, index) => {
    const [row, column] = [Math.floor(index / columns), index % columns];
    const [x, y] = [column * 34 + 17, row * 34 + 17];
    return column < inARow(row)
      ? `<circle cx="${x}" cy="${y}" r="9" class="served"/>`
      : `<circle cx="${x}" cy="${y}" r="7.5" class="refused"/>`;
  });
  return `<svg viewBox="0 0 ${columns * 34} ${rows * 34}">${marks.join('')}</svg>`;
}

/** The colours are those of src/styles.css, in its light theme. */
const css = `
* { margin: 0; box-sizing: border-box; }
body { width: 1200px; height: 630px; padding: 44px; background: #92236f; color: #221a21;
  font-family: "Segoe UI", Roboto, Inter, "Liberation Sans", sans-serif; }
main { display: flex; height: 542px; border-radius: 32px; background: #ffffff;
  mask-image: radial-gradient(circle 26px at 828px 0, #0000 97%, #000), radial-gradient(circle 26px at 828px 100%, #0000 97%, #000);
  mask-composite: intersect; }
section { width: 828px; padding: 52px 56px 44px; display: flex; flex-direction: column; border-right: 5px dashed #e3dbd4; }
aside { flex: 1; display: grid; place-items: center; }
aside svg { height: 466px; }
.served { fill: #92236f; }
.refused { fill: none; stroke: #d9a9c8; stroke-width: 3; }
.kind { font-size: 27px; font-weight: 600; color: #92236f; }
h1 { margin-top: 16px; font-size: 74px; line-height: 1.06; letter-spacing: -0.025em; text-wrap: balance; }
h1.long { font-size: 62px; }
.text { margin-top: 24px; font-size: 31px; line-height: 1.36; color: #635860; text-wrap: pretty;
  display: -webkit-box; -webkit-line-clamp: 5; -webkit-box-orient: vertical; overflow: hidden; }
.brand { margin-top: auto; display: flex; align-items: center; gap: 16px; font-size: 30px; font-weight: 700; }
.brand svg { width: 52px; padding: 9px; border-radius: 13px; background: #92236f; fill: none; stroke: #ffffff; stroke-width: 1.75;
  stroke-linecap: round; stroke-linejoin: round; }
`;

const withoutMarkup = (text: string) => text.replaceAll(/[`_*]/g, '');
