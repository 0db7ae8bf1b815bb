import type { CSSProperties, ReactNode } from 'react';

/** Hues that work as a background, in degrees of oklch. */
const hues = [345, 25, 265, 300, 230, 160, 195, 5];

/** A placeholder picture for an event, generated from its slug so that it looks the same everywhere. */
export function EventArt({ slug, className = '' }: { slug: string; className?: string }) {
  const number = hash(slug);
  const style = { '--art-hue': hues[(number >>> 6) % hues.length] } as CSSProperties;
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 320 140"
      preserveAspectRatio="xMidYMid slice"
      className={`art block ${className}`}
      style={style}
    >
      {drawings[(number >>> 19) % drawings.length]?.(number & 0xfffff)}
    </svg>
  );
}

const drawings: ((number: number) => ReactNode)[] = [rings, rays, skyline, waves, confetti];

function rings(number: number) {
  const x = 90 + (number % 140);
  return (
    <>
      {count(7).map((ring) => (
        <circle key={ring} className="art-line" opacity={0.9 - ring * 0.1} cx={x} cy={140} r={66 + ring * 24} />
      ))}
      <circle className="art-shape" cx={x} cy={140} r={52} />
      <circle className="art-light" cx={x} cy={140} r={26} />
    </>
  );
}

function rays(number: number) {
  const x = 100 + (number % 120);
  return (
    <>
      {count(14).map((ray) => {
        const from = Math.PI * (1 + ray / 14);
        const to = Math.PI * (1 + (ray + 0.5) / 14);
        return (
          <path
            key={ray}
            className="art-shape"
            opacity={0.55}
            d={`M${x} 150 L${point(x, 150, 360, from)} L${point(x, 150, 360, to)} Z`}
          />
        );
      })}
      <circle className="art-light" cx={x} cy={150} r={58} />
    </>
  );
}

function skyline(number: number) {
  return count(13).map((bar) => {
    const height = 24 + (((number >>> bar) & 7) * 9 + ((bar * 5) % 4) * 8);
    return (
      <rect
        key={bar}
        className={(bar + number) % 4 === 1 ? 'art-light' : 'art-shape'}
        x={bar * 25 - 2}
        y={140 - height}
        width={17}
        height={height + 20}
        rx={8.5}
      />
    );
  });
}

function waves(number: number) {
  const swing = 14 + (number % 12);
  return (
    <>
      <circle className="art-light" cx={130 + (number % 140)} cy={46} r={24} />
      {count(4).map((wave) => {
        const y = 70 + wave * 19;
        const shift = wave % 2 === 0 ? 0 : -45;
        return (
          <path
            key={wave}
            className="art-shape"
            opacity={0.3 + wave * 0.22}
            d={`M${-90 + shift} ${y} q45 ${-swing} 90 0 t90 0 t90 0 t90 0 t90 0 t90 0 V150 H-90Z`}
          />
        );
      })}
    </>
  );
}

function confetti(number: number) {
  return count(40).map((piece) => {
    const x = (piece % 10) * 34 + (Math.floor(piece / 10) % 2) * 17;
    const y = 18 + Math.floor(piece / 10) * 36;
    const kind = (number >>> (piece % 20)) & 3;
    return (
      <circle
        key={piece}
        className={kind === 0 ? 'art-light' : 'art-shape'}
        opacity={kind === 3 ? 0.4 : 1}
        cx={x}
        cy={y}
        r={kind === 2 ? 11 : 5 + kind * 2}
      />
    );
  });
}

const count = (length: number) => Array.from({ length }, (_, index) => index);
const point = (x: number, y: number, length: number, angle: number) =>
  `${(x + length * Math.cos(angle)).toFixed(1)} ${(y + length * Math.sin(angle)).toFixed(1)}`;

/** 32-bit FNV-1a with murmur's finalizer, so that every bit of a short slug affects the result. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
