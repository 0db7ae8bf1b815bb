import { expect, test } from 'vitest';
import { checkPath } from './checks-before-start.mjs';

test.each(['/srv/what?', '/srv/c#', '/srv/$money', '/srv/a;b', '/srv/a*b', '/srv/"a"', '/srv/back\\slash'])(
  'a path with a character that the tools cannot handle is refused before anything is installed: %s',
  (path) => {
    expect(() => checkPath(path)).toThrow(/which its tools cannot handle/);
  },
);

test.each(['/srv/My Projects', "/srv/o'neil/tickets", '/srv/zoë/a,b & c', '/srv/(1) [x] {y} 100%'])(
  'a path with any other character is accepted: %s',
  (path) => {
    expect(() => checkPath(path)).not.toThrow();
  },
);
