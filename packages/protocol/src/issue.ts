/** One problem of a file that people write. All problems of a file are reported at once. */
export interface Issue {
  /** The file, relative to the project's folder. */
  file: string;
  /** Where in the document: `agents.reviewer.file`, `triggers[1].cron`, `<yaml>` for the whole. */
  path: string;
  message: string;
  severity: "error" | "warning";
  /** 1-based; undefined when the problem has no place (something is missing). */
  line?: number;
  column?: number;
}

/** `beeuni.yaml:12:5 agents.a.file: must be …`: where, what. */
export function formatIssue(issue: Issue): string {
  const place = issue.line === undefined ? issue.file : `${issue.file}:${issue.line}${issue.column === undefined ? "" : `:${issue.column}`}`;
  return `${place} ${issue.path}: ${issue.message}`;
}
