const paths = {
  ticket: 'M4 7h16v3.5a1.5 1.5 0 0 0 0 3V17H4v-3.5a1.5 1.5 0 0 0 0-3zM14.5 7v2m0 2.5v1m0 2.5v2',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Zm9.5 3-4.9-4.9',
  venue: 'M12 21s7-6.2 7-11.5a7 7 0 1 0-14 0C5 14.8 12 21 12 21Zm0-9a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  calendar: 'M5 6h14v14H5zM5 10.5h14M8.5 3.5V8m7-4.5V8',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-14v5l3.5 2',
  warning: 'M12 4 2.5 20h19zm0 6v4.5m0 2.5v.5',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-10v5.5m0-9v.5',
  print: 'M7 8V4h10v4M7 16H4V8h16v8h-3M7 13h10v7H7z',
  check: 'M5 12.5 10 17.5 19 7',
  cross: 'M6 6l12 12M18 6 6 18',
  flask: 'M10 3.5h4M11 3.5v6L5.5 19a1 1 0 0 0 .9 1.5h11.2a1 1 0 0 0 .9-1.5L13 9.5v-6M8 15h8',
  back: 'M19 12H5m6-6-6 6 6 6',
  next: 'M5 12h14m-6-6 6 6-6 6',
  gauge: 'M4 17a8 8 0 1 1 16 0M12 17l4-6',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7.5 8.5a7.5 7.5 0 0 1 15 0',
  book: 'M5 4h10a4 4 0 0 1 4 4v12H8a3 3 0 0 1-3-3zm0 13a3 3 0 0 1 3-3h11',
  desk: 'M4 5h16v10H4zM9 20h6m-3-5v5M8 11l2.5-2.5 2 2L16 7.5',
  minus: 'M6 12h12',
  plus: 'M6 12h12M12 6v12',
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon beside text that says the same, so it is hidden from screen readers. */
export function Icon({ name, className = 'size-5' }: { name: IconName; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      className={`${className} shrink-0 fill-none stroke-current stroke-[1.75]`}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={paths[name]} />
    </svg>
  );
}
