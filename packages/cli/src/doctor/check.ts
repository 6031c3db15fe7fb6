/** One line of `beeuni doctor`. A warning limits what works; a problem stops it. */
export interface Check {
  id: string;
  status: "ok" | "warning" | "problem";
  message: string;
  /** What to do, ready to be copied where it is a command. */
  fix?: string;
}

export const ok = (id: string, message: string): Check => ({ id, status: "ok", message });
export const warning = (id: string, message: string, fix: string): Check => ({ id, status: "warning", message, fix });
export const problem = (id: string, message: string, fix: string): Check => ({ id, status: "problem", message, fix });
