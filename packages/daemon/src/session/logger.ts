/** Where the daemon tells what is not part of any session's transcript. */
export type Logger = (level: "info" | "warning" | "error", message: string) => void;
