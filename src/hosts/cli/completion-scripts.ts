/**
 * completion-scripts: the scripts with which a shell completes our lines: how to call `plugboard __complete`, and how
 * to use the answer.
 *
 * The arguments are the number of words, then the words up to the cursor. The last word may be empty. PowerShell drops
 * empty words, hence the number. Some shells cannot omit the first word, so only that many of the last words count.
 * The answer has one line for each suggestion, with a tab before its description; or `:files`, so that the shell
 * completes file names itself. A suggestion that ends in `=` needs no space after it.
 */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

export type ShellName = (typeof SHELLS)[number]

const BASH = String.raw`# plugboard completion for bash.   eval "$(plugboard completion bash)"
_plugboard() {
  local i word rest="\${COMP_LINE:0:COMP_POINT}" line
  local -a words=() found=()
  # Bash parts words at = and :, we do not: what stands together stays together.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ $rest == [[:space:]]* || $i -eq 0 ]]; then
      rest="\${rest#"\${rest%%[![:space:]]*}"}"
      words+=("")
    fi
    ((i == COMP_CWORD)) && word="$rest"
    words[\${#words[@]}-1]+="$word"
    rest="\${rest#"$word"}"
  done
  local typed="\${words[\${#words[@]}-1]}"
  while IFS= read -r line; do found+=("\${line%%$'\t'*}"); done < <(
    plugboard __complete "$((\${#words[@]} - 1))" "\${words[@]:1}" 2>/dev/null
  )
  COMPREPLY=()
  if [[ \${found[0]-} == :files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
    return
  fi
  # Only what stands behind the last = or : is replaced.
  local head=""
  [[ $typed == *[=:]* ]] && head="\${typed%"\${typed##*[=:]}"}"
  for line in "\${found[@]}"; do
    [[ $line == *= ]] && compopt -o nospace 2>/dev/null
    COMPREPLY+=("\${line#"$head"}")
  done
}
complete -F _plugboard plugboard
`

const ZSH = String.raw`#compdef plugboard
# plugboard completion for zsh.   source <(plugboard completion zsh)
_plugboard() {
  local line value about
  local -a lines whole wholeShown open openShown
  lines=("\${(@f)$(plugboard __complete "$((CURRENT - 1))" "\${(@Q)words[1,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  if [[ $lines[1] == ':files' ]]; then
    _files
    return
  fi
  for line in $lines; do
    value="\${line%%$'\t'*}"
    about="\${line#*$'\t'}"
    [[ $about == $line || -z $about ]] && about="$value" || about="$value  -- $about"
    if [[ $value == *= ]]; then
      open+=("$value")
      openShown+=("$about")
    else
      whole+=("$value")
      wholeShown+=("$about")
    fi
  done
  (($#open)) && compadd -S '' -l -d openShown -a open
  (($#whole)) && compadd -l -d wholeShown -a whole
}
if [[ $funcstack[1] == _plugboard ]]; then
  _plugboard "$@"
else
  compdef _plugboard plugboard
fi
`

const FISH = String.raw`# plugboard completion for fish.   plugboard completion fish | source
function __plugboard_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (plugboard __complete (math (count $words) - 1) $words 2>/dev/null)
    if test "$found[1]" = ':files'
        __fish_complete_path (commandline -ct)
    else if set -q found[1]
        printf '%s\n' $found
    end
end
complete -c plugboard -f -a '(__plugboard_complete)'
`

const POWERSHELL = String.raw`# plugboard completion for PowerShell.   plugboard completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName plugboard -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements |
        Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        ForEach-Object { $_.ToString() })
    $count = $words.Count
    if ($wordToComplete -eq '') { $count++ }
    plugboard __complete $count @words 2>$null | ForEach-Object {
        $value, $about = $_ -split "\`t", 2
        if ($value -ne ':files') {
            if (-not $about) { $about = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
        }
    }
}
`

/** Backslashes keep the template literal from interpreting the shell's own `$` and backquotes. */
const SCRIPTS: Readonly<Record<ShellName, string>> = {
  bash: unescape(BASH),
  zsh: unescape(ZSH),
  fish: FISH,
  powershell: unescape(POWERSHELL),
}

export function scriptFor(shell: ShellName): string {
  return SCRIPTS[shell]
}

function unescape(text: string): string {
  return text.replaceAll(/\\(?=\$\{|`)/g, '')
}
