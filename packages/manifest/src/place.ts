import { isAlias, isMap, isScalar, isSeq, type Document, type LineCounter, type Node } from "yaml";

/** Keys and list positions from the root down: `["agents", "a", "file"]`. */
export type Path = readonly (string | number)[];

/** 1-based. */
export interface Place {
  line: number;
  column: number;
}

/** Where the key or list entry stands; undefined when the document does not have it. */
export function placeInYaml(document: Document, lines: LineCounter, path: Path): Place | undefined {
  let node: unknown = document.contents;
  let at: Node | undefined;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) return undefined;
      at = pair.key as Node;
      node = pair.value;
    } else if (isSeq(node)) {
      at = node.items[Number(step)] as Node | undefined;
      node = at;
    } else return undefined;
  }
  const offset = at?.range?.[0];
  if (offset === undefined) return undefined;
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}
