# plugboard completion for bash.   eval "$(plugboard completion bash)"
_plugboard() {
  local i word rest="${COMP_LINE:0:COMP_POINT}" line
  local -a words=() found=()
  # Bash parts words at = and :, we do not: what stands together stays together.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ $rest == [[:space:]]* || $i -eq 0 ]]; then
      rest="${rest#"${rest%%[![:space:]]*}"}"
      words+=("")
    fi
    ((i == COMP_CWORD)) && word="$rest"
    words[${#words[@]}-1]+="$word"
    rest="${rest#"$word"}"
  done
  local typed="${words[${#words[@]}-1]}"
  while IFS= read -r line; do found+=("${line%%$'\t'*}"); done < <(
    plugboard __complete "$((${#words[@]} - 1))" "${words[@]:1}" 2>/dev/null
  )
  COMPREPLY=()
  if [[ ${found[0]-} == :files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
    return
  fi
  # Only what stands behind the last = or : is replaced.
  local head=""
  [[ $typed == *[=:]* ]] && head="${typed%"${typed##*[=:]}"}"
  for line in "${found[@]}"; do
    [[ $line == *= ]] && compopt -o nospace 2>/dev/null
    COMPREPLY+=("${line#"$head"}")
  done
}
complete -F _plugboard plugboard
