import { COMMANDS, type CommandSpec, NOUNS, type Offer } from "./command-table.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * The completion script of a shell, made from the command table. Everything is in the script: completing starts no
 * program, and session ids are the names of the folders under `$BEEUNI_HOME/sessions`.
 */
export function completionScript(shell: Shell): string {
  if (shell === "fish") return fish();
  // zsh runs the bash script through its own bridge, which keeps one script for both.
  return shell === "zsh" ? `#compdef beeuni\nautoload -U +X bashcompinit && bashcompinit\n${bash()}` : bash();
}

const SESSIONS = 'ls -1 "${BEEUNI_HOME:-$HOME/.beeuni}/sessions" 2>/dev/null';

interface Flag {
  long: string;
  short: string | undefined;
  takesValue: boolean;
  offer: Offer | undefined;
  about: string;
}

function flagsOf(spec: CommandSpec): Flag[] {
  return [
    ...spec.options.map((option) => ({
      long: /--[\w-]+/.exec(option.flags)![0],
      short: /^-\w/.exec(option.flags)?.[0],
      takesValue: option.flags.includes("<"),
      offer: option.offer,
      about: option.about,
    })),
    { long: "--help", short: "-h", takesValue: false, offer: undefined, about: "print this help" },
  ];
}

function topWords(): string[] {
  return [...new Set(COMMANDS.map((spec) => spec.path[0]))];
}

function verbs(noun: string): string[] {
  return COMMANDS.filter((spec) => spec.path[0] === noun && spec.path.length === 2).map((spec) => spec.path[1]!);
}

function bash(): string {
  const values = (offer: Offer | undefined): string => {
    if (offer === undefined) return ":";
    if (offer === "session") return `COMPREPLY=($(compgen -W "$(${SESSIONS})" -- "$cur"))`;
    if (offer === "file") return 'COMPREPLY=($(compgen -f -- "$cur"))';
    if (offer === "folder") return 'COMPREPLY=($(compgen -d -- "$cur"))';
    return `COMPREPLY=($(compgen -W "${offer.join(" ")}" -- "$cur"))`;
  };
  const cases = COMMANDS.map((spec) => {
    const flags = flagsOf(spec);
    const valued = flags.filter((flag) => flag.takesValue);
    const byFlag = valued.map((flag) => `        ${[flag.short, flag.long].filter(Boolean).join("|")}) ${values(flag.offer)}; return;;`);
    const byPlace = spec.arguments.map((argument, index) => `        ${index}) ${values(argument.offer)};;`);
    return [
      `    "${spec.path.join(" ")}")`,
      ...(byFlag.length === 0 ? [] : ['      case "$prev" in', ...byFlag, "      esac"]),
      `      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "${flags.map((flag) => flag.long).join(" ")}" -- "$cur")); return; fi`,
      ...(byPlace.length === 0 ? [] : [`      case $((COMP_CWORD - ${spec.path.length + 1})) in`, ...byPlace, "      esac"]),
      "      ;;",
    ].join("\n");
  });
  const nouns = Object.keys(NOUNS).map((noun) => `    "${noun}") COMPREPLY=($(compgen -W "${verbs(noun).join(" ")}" -- "$cur"));;`);
  return [
    "_beeuni() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" path',
    "  COMPREPLY=()",
    `  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W "${topWords().join(" ")} --help --version" -- "$cur")); return; fi`,
    '  path="${COMP_WORDS[1]}"',
    `  case "$path" in ${Object.keys(NOUNS).join("|")}) ((COMP_CWORD > 2)) && path="$path \${COMP_WORDS[2]}";; esac`,
    '  case "$path" in',
    ...nouns,
    ...cases,
    "  esac",
    "}",
    "complete -F _beeuni beeuni",
    "",
  ].join("\n");
}

function fish(): string {
  const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const values = (offer: Offer | undefined): string => {
    if (offer === undefined) return "-x";
    if (offer === "session") return `-x -a '(ls -1 (test -n "$BEEUNI_HOME"; and echo $BEEUNI_HOME; or echo ~/.beeuni)/sessions 2>/dev/null)'`;
    if (offer === "file") return "-r -F";
    if (offer === "folder") return "-x -a '(__fish_complete_directories)'";
    return `-x -a ${quote(offer.join(" "))}`;
  };
  const lines = ["complete -c beeuni -f", "complete -c beeuni -n __fish_use_subcommand -l version -d 'print the version'"];
  for (const word of topWords()) {
    const about = NOUNS[word] ?? COMMANDS.find((spec) => spec.path[0] === word)!.about;
    lines.push(`complete -c beeuni -n __fish_use_subcommand -a ${word} -d ${quote(about)}`);
  }
  for (const spec of COMMANDS) {
    const [first, second] = spec.path;
    if (second !== undefined) {
      lines.push(`complete -c beeuni -n '__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${verbs(first).join(" ")}' -a ${second} -d ${quote(spec.about)}`);
    }
    const here = second === undefined ? `__fish_seen_subcommand_from ${first}` : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`;
    for (const argument of spec.arguments) if (argument.offer !== undefined) lines.push(`complete -c beeuni -n '${here}' ${values(argument.offer)}`);
    for (const flag of flagsOf(spec)) {
      const short = flag.short === undefined ? "" : ` -s ${flag.short.slice(1)}`;
      lines.push(`complete -c beeuni -n '${here}' -l ${flag.long.slice(2)}${short}${flag.takesValue ? ` ${values(flag.offer)}` : ""} -d ${quote(flag.about)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}
