/** Gives the parts of a text that never changes the names that their places are. */
export const numbered = <Item>(items: readonly Item[]): { item: Item; place: number }[] =>
  items.map((item, place) => ({ item, place }));
