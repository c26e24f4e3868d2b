import { own } from "../../base/index.ts";
import { badValue } from "../codes.ts";
import type { CommandRun } from "../define-command.ts";

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly string[];
  readonly completes: "workflow" | "run" | undefined;
}

const shells: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = { bash, zsh, fish };

/** Prints a script that completes commands, their options, and the names of workflows and runs, which it asks Waymark for. */
export function completionCommand(commands: readonly CompletedCommand[]): CommandRun {
  return async ({ session: { out }, args: [shell = ""] }) => {
    const known = Object.keys(shells);
    const render = own(shells, shell);
    if (render === undefined) throw badValue(`There is no completion for \`${shell}\`.`, `Shells are ${known.join(", ")}.`);
    const script = render(commands);
    out.document({ shell, script });
    if (!out.json) out.raw(script);
  };
}

const sources = { workflow: "waymark list --names 2>/dev/null", run: "waymark runs --ids --limit 100 2>/dev/null" } as const;

function bash(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, options, completes }) => {
    const words = completes === undefined ? "" : ` $(${sources[completes]})`;
    return `    ${name}) words="${options.join(" ")}${words}" ;;`;
  });
  return `# Completion for waymark in bash. Names with colons are completed when bash-completion is loaded.
_waymark() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="" words="" word
  if declare -F _get_comp_words_by_ref >/dev/null; then _get_comp_words_by_ref -n : -c current 2>/dev/null; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
  case "$command" in
    "") words="${commands.map(({ name }) => name).join(" ")} --help --version" ;;
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ \${#COMPREPLY[@]} -eq 0 ]]; then COMPREPLY=($(compgen -f -- "$current")); fi
  if declare -F __ltrim_colon_completions >/dev/null; then __ltrim_colon_completions "$current"; fi
}
complete -F _waymark waymark
`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${single(`${name}:${summary}`)}`);
  const cases = commands.map(({ name, options, completes }) => {
    const words = completes === undefined ? "" : `; compadd -- \${(f)"$(${sources[completes]})"}`;
    return `    ${name}) compadd -- ${options.join(" ")}${words} ;;`;
  });
  return `#compdef waymark
# Completion for waymark in zsh.
_waymark() {
  local -a commands
  commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case "$words[2]" in
${cases.join("\n")}
  esac
  _files
}
if [[ "$funcstack[1]" == "_waymark" ]]; then _waymark "$@"; else compdef _waymark waymark; fi
`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options, completes }) => {
    const inside = `-n ${single(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c waymark -n __fish_use_subcommand -a ${name} -d ${single(summary)}`,
      ...options.map((option) => `complete -c waymark ${inside} -l ${option.slice(2)}`),
      ...(completes === undefined ? [] : [`complete -c waymark ${inside} -f -a ${single(`(${sources[completes]})`)}`]),
    ];
  });
  return `# Completion for waymark in fish.\n${lines.join("\n")}\n`;
}

function single(text: string): string {
  return `'${text.replaceAll("'", "’")}'`;
}
