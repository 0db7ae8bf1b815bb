/** Pairs the items of a static list with their indexes, which serve as React keys. */
export const numbered = <Item>(items: readonly Item[]): { item: Item; index: number }[] =>
  items.map((item, index) => ({ item, index }));
